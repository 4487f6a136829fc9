# what: recursion through __getattr__, which goes through C each time, with no limit
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
import sys
print('before')
sys.setrecursionlimit(10**9)

class A:
    def __getattr__(self, name):
        return getattr(self, name + 'x')

A().x
