# what: bytes that look like frames of the wire between worker and gateway, to every descriptor
# expect: outcome=ok|error worn=any
import os
import struct
for fd in range(0, 20):
    try:
        os.write(fd, struct.pack('<II', 10, 3) + b'{"a": 1}  ' + struct.pack('<II', 0xffffffff, 0))
    except OSError:
        pass
