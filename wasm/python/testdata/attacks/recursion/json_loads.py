# what: JSON of a hundred thousand open brackets, with no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import json
import sys
print('before')
sys.setrecursionlimit(10**9)
json.loads('[' * 100_000 + ']' * 100_000)
