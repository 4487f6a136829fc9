# what: a pattern of groups in groups, a hundred thousand deep
# expect: outcome=error|died|ok type=RecursionError|MemoryError|OverflowError|error stdout~="before"
import re
import sys
print('before')
sys.setrecursionlimit(10**9)
re.compile('(' * 10_000 + ')' * 10_000)
