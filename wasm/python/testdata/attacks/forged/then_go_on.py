# what: the mark, a whole reply, and then the program goes on for ever
# expect: outcome=timeout worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, b'{"outcome": "ok"}')
while True:
    pass
