# what: a reply without an end
# expect: outcome=timeout|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
while True:
    os.write(1, b'[' * 65536)
