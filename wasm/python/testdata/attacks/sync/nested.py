# what: the sync call, from a hundred functions deep
# expect: outcome=error|died worn=yes
import os

def f(n):
    return f(n - 1) if n else os.posix_fadvise(1, 0x746F6F6C, 0, 0)

f(100)
print('after: pwned')
