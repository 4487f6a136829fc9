# what: the sync call from a __del__
# expect: outcome=error|died worn=yes
import os

class Pwned:
    def __del__(self):
        os.posix_fadvise(1, 0x746F6F6C, 0, 0)

Pwned()
