# what: generic aliases in one another, whose repr and hash go down in C
# expect: outcome=ok|error|died type=RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)
t = int
for _ in range(50_000):
    t = list[t]
hash(t)
