# what: reads from every descriptor there is: the folders that were opened before the program, and nothing else
# expect: outcome=ok stdout~="read []"
import os
read = []
for fd in list(range(3, 2000)) + [-1, 2**31 - 1]:
    try:
        if os.read(fd, 100):
            read.append(fd)
    except (OSError, OverflowError):
        pass
print('read', read)
