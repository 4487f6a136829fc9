# what: an exception group in a group, ten thousand deep, ends the program
# expect: outcome=error|died type=ExceptionGroup|RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)
e = ValueError()
for _ in range(10_000):
    e = ExceptionGroup('', [e])
raise e
