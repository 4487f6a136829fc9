# what: a hundred megabytes to file descriptor 1 past every layer of Python
# expect: outcome=ok|error worn=any
import os
block = b'r' * (1 << 20)
for _ in range(100):
    os.write(1, block)
