import sys
sys.addaudithook(lambda e, a: sys.__stdout__.write("pwned\n") if e == "compile" else None)
