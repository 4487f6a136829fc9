# what: flags of the standard descriptors are changed, as far as the system lets
# expect: outcome=ok
import os
for fd in (0, 1, 2):
    for call in (lambda: os.set_blocking(fd, False), lambda: os.ftruncate(fd, 0), lambda: os.lseek(fd, 0, 0), lambda: os.fsync(fd), lambda: os.posix_fallocate(fd, 0, 10)):
        try:
            call()
        except (OSError, AttributeError):
            pass
print('fine')
