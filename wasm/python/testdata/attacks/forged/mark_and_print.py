# what: the reply mark, and then the program prints: what would be the reply is its own text
# expect: outcome=ok|error|died worn=any
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
print('pwned, no JSON at all')
