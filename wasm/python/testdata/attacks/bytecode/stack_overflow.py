# what: bytecode that pushes far more than the frame has room for
# expect: outcome=ok|error|died
import dis
def f():
    return 1

push = dis.opmap['PUSH_NULL']
f.__code__ = f.__code__.replace(co_code=bytes([push, 0] * 100_000 + [dis.opmap['RETURN_CONST'], 0]), co_stacksize=1)
f()
