# what: a list in a list, a hundred thousand deep, becomes JSON, with no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import json
import sys
print('before')
sys.setrecursionlimit(10**9)
a = []
for _ in range(100_000):
    a = [a]
json.dumps(a)
