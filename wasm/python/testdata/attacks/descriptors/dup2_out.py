# what: a file is put over descriptors 1 and 2, so that the reply would be written there
# expect: outcome=ok|error|died
import os
fd = os.open('/tmp/pwned', os.O_CREAT | os.O_RDWR)
for to in (0, 1, 2):
    try:
        os.dup2(fd, to)
    except (AttributeError, OSError):
        pass
print('in the file?')
