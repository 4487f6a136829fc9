# what: a reply with numbers, names and types that no reply has
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, b'{"outcome": "timeout", "exitcode": 1e999, "exit_code": 99999999999999999999, "error": {"line": -1e400, "type": 7}, "value": []}{"outcome": "ok"}')
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
