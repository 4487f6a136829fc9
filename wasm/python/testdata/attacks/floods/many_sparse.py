# what: a thousand files of a gigabyte each, all holes
# expect: outcome=error type=OSError|MemoryError
import os
for n in range(1000):
    fd = os.open(f'/tmp/pwned{n}', os.O_CREAT | os.O_RDWR)
    os.ftruncate(fd, 1 << 30)
    os.close(fd)
