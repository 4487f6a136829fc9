# what: a function that calls itself, with the limit set to a billion: Python frames are not on the C stack, memory ends it
# expect: outcome=error|died|timeout type=MemoryError|RecursionError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)

def f(n):
    return f(n + 1)

f(0)
