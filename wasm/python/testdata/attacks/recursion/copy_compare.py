# what: two lists that are a hundred thousand deep are compared, with no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)
a, b = [], []
for _ in range(100_000):
    a, b = [a], [b]
a == b
