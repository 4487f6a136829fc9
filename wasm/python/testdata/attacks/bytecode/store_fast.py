# what: bytecode that writes locals that are not there: other memory of the interpreter
# expect: outcome=ok|error|died
import dis
def f():
    return 1

ext, store, load = dis.opmap['EXTENDED_ARG'], dis.opmap['STORE_FAST'], dis.opmap['LOAD_CONST']
f.__code__ = f.__code__.replace(co_code=b''.join(bytes([load, 0, ext, n, store, 0]) for n in range(1, 256)) + bytes([dis.opmap['RETURN_CONST'], 0]), co_consts=(1,))
f()
