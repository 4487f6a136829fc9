# what: bytecode that takes from an empty stack
# expect: outcome=ok|error|died
import dis
def f():
    return 1

pop = dis.opmap['POP_TOP']
f.__code__ = f.__code__.replace(co_code=bytes([pop, 0] * 200 + [dis.opmap['RETURN_VALUE'], 0]))
f()
