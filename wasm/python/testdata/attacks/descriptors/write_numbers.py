# what: writes to descriptors 3 to 50, of which none is the program's
# expect: outcome=ok stdout~="wrote to []"
import os
wrote = []
for fd in range(3, 51):
    try:
        os.write(fd, b'pwned')
        wrote.append(fd)
    except OSError:
        pass
print('wrote to', wrote)
