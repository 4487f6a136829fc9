# what: the sync call with every other descriptor
# expect: outcome=ok|error|died worn=any
import os
for fd in list(range(2, 60)) + [0, 2**31 - 1, -1]:
    try:
        os.posix_fadvise(fd, 0x746F6F6C, 0, 0)
    except OSError:
        pass
print('fine')
