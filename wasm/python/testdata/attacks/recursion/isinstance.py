# what: isinstance with a tuple in a tuple, a hundred thousand deep, and no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)
t = (int,)
for _ in range(100_000):
    t = (t, str)
isinstance(1.5, t)
