# what: the sync call with every error caught, again and again, as the driver does it
# expect: outcome=error|died|timeout worn=yes
import os
while True:
    try:
        os.posix_fadvise(1, 0x746F6F6C, 0, 0)
        break
    except OSError:
        pass
job = os.read(0, 1 << 20)
print('read of another call:', job)
