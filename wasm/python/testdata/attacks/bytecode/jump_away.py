# what: bytecode that jumps out of its own code
# expect: outcome=ok|error|died|timeout
import dis
def f():
    return 1

ext, jump = dis.opmap['EXTENDED_ARG'], dis.opmap['JUMP_FORWARD']
f.__code__ = f.__code__.replace(co_code=bytes([ext, 255, ext, 255, jump, 255]))
f()
