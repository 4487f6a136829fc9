# what: a list in a list, a hundred thousand deep, is pickled, with no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import pickle
import sys
print('before')
sys.setrecursionlimit(10**9)
a = []
for _ in range(100_000):
    a = [a]
pickle.dumps(a)
