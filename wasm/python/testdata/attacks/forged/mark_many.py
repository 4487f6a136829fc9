# what: the reply mark ten thousand times
# expect: outcome=ok|error|died worn=any
import os
for _ in range(10_000):
    os.posix_fadvise(1, 0x746F6F6C, 1, 0)
