# what: a reply of a hundred megabytes
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, b'{"outcome": "ok", "value": {"repr": "')
block = b'x' * (1 << 20)
for _ in range(100):
    os.write(1, block)
os.write(1, b'"}}')
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
