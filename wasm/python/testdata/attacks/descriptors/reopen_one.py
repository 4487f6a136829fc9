# what: descriptor 1 is closed, and a file of the program takes its number
# expect: outcome=ok|error|died
import os
os.close(1)
fd = os.open('/out/pwned', os.O_CREAT | os.O_RDWR)
os.write(fd, b'x' * 100)
