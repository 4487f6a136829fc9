# what: the magic number with lengths and advices that have no meaning yet
# expect: outcome=ok|error|died worn=any
import os
for length in (2, 3, 100, -1, 1 << 32, (1 << 32) + 1, 1 << 63 - 1):
    for advice in (0, 1, 5):
        try:
            os.posix_fadvise(1, 0x746F6F6C, length, advice)
        except (OSError, OverflowError):
            pass
