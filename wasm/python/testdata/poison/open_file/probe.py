import os
found = []
for fd in range(3, 200):
    try:
        os.lseek(fd, 0, 0)
        if b"secret" in os.read(fd, 100):
            found.append(fd)
    except OSError:
        pass
print(found)
