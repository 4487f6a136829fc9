# what: the sync call from a generator that C drinks up
# expect: outcome=error|died worn=yes
import os
sum(os.posix_fadvise(1, 0x746F6F6C, 0, 0) or n for n in range(10))
