# what: a file is made nine exabytes long
# expect: outcome=error type=OSError|OverflowError|MemoryError stdout~="before"
import os
print('before')
fd = os.open('/out/pwned', os.O_CREAT | os.O_RDWR)
os.ftruncate(fd, (1 << 63) - 1)
