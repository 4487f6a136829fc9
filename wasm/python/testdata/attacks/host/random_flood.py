# what: random bytes without end: the host's source must stand it
# expect: outcome=ok|timeout stdout~="before"
import os
print('before', flush=True)
for _ in range(200):
    os.urandom(1 << 20)
