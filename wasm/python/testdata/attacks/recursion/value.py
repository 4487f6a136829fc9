# what: the value of the last expression is a list in a list, which repr and JSON go down
# expect: outcome=ok|error|died type=RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)
a = []
for _ in range(100_000):
    a = [a]
a
