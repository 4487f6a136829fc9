# what: an error in code whose table of lines is garbage, so that the traceback must be made from it
# expect: outcome=error|died
def f():
    1 / 0

f.__code__ = f.__code__.replace(co_linetable=b'\xff' * 50, co_exceptiontable=b'\xff' * 50, co_firstlineno=-5)
f()
