# what: the sync call while the value is shown
# expect: outcome=error|died worn=yes
import os

class Pwned:
    def __repr__(self):
        os.posix_fadvise(1, 0x746F6F6C, 0, 0)
        return 'x'

Pwned()
