# what: the reply mark, and nothing after it
# expect: outcome=ok|error|died worn=any stdout~="before"
import os
print('before', flush=True)
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
