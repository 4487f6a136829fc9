# what: the sync call with all other numbers near those that mean something
# expect: outcome=ok|error|died worn=any
import os
for magic in (0, 1, 0x746F6F6D, 0x6C6F6F74, 0x746F6F6C << 32, -0x746F6F6C, (1 << 63) - 1):
    for length in (0, 1, 2, 3, 7, 255, -1):
        for advice in (0, 1, 5, 77):
            if magic == 0x746F6F6C:
                continue
            try:
                os.posix_fadvise(1, magic, length, advice)
            except (OSError, OverflowError):
                pass
print('fine')
