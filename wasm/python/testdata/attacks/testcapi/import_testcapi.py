# what: the test modules of CPython, which can do anything with its memory, are imported: those that are there do no harm
# expect: outcome=ok stdout~="there: "
there = []
for name in ('_testcapi', '_testinternalcapi', '_testclinic', '_testbuffer', '_testimportmultiple', '_testmultiphase', '_testsinglephase', '_xxtestfuzz', '_xxsubinterpreters', '_xxinterpchannels', '_ctypes_test', '_ctypes', 'ctypes', 'xxlimited', '_xxsubinterpreters'):
    try:
        __import__(name)
        there.append(name)
    except ImportError:
        pass
print('there:', there)
