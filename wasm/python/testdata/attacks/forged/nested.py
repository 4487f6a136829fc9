# what: a reply of JSON that is a million levels deep
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, b'{"outcome": "ok", "value": {"json": ' + b'[' * 1_000_000 + b']' * 1_000_000 + b'}}')
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
