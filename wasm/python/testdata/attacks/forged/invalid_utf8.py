# what: a reply that is not UTF-8
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, b'{"outcome": "ok", "value": {"repr": "\xff\xfe\xc0\x80"}}')
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
