# what: bytecode that loads a constant far behind the end of the tuple: any object that lies there
# expect: outcome=ok|error|died
def f():
    return 1

co = f.__code__
op = bytes([144, 255, 144, 255, 100, 255, 83, 0])
f.__code__ = co.replace(co_code=op, co_consts=())
f()
