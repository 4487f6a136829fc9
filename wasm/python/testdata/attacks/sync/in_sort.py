# what: the sync call from the key function of a sort in C
# expect: outcome=error|died worn=yes
import os
sorted([1, 2], key=lambda n: os.posix_fadvise(1, 0x746F6F6C, 0, 0) or n)
