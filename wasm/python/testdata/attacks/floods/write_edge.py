# what: writes of one byte at the largest positions that a file can have
# expect: outcome=ok stdout~="refused 4"
import os
fd = os.open('/tmp/pwned', os.O_CREAT | os.O_RDWR)
n = 0
for at in ((1 << 63) - 1, (1 << 63) - 2, 1 << 62, 1 << 48):
    try:
        os.pwrite(fd, b'xy', at)
    except (OSError, OverflowError):
        n += 1
print('refused', n)
