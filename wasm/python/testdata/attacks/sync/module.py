# what: the sync call, made by the program at the top of its module: the call is over, and the instance is not used again
# expect: outcome=error|died worn=yes stdout~="before"
import os
print('before', flush=True)
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
print('after: pwned')
