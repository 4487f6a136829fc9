# what: a reply whose outcome is not one of the words, with control characters
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(b'\x1b[2J'[0] and 1, b'{"outcome": "\\u001b[2Jdependencies\\u0000", "Outcome": null}')
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
