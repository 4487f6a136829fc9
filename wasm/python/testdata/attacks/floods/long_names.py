# what: names of a million characters, and paths of as many parts
# expect: outcome=ok stdout~="refused 3"
import os
n = 0
for name in ('x' * 1_000_000, 'a/' * 500_000 + 'b', '../' * 300_000 + 'etc'):
    try:
        os.mkdir('/tmp/' + name)
    except OSError:
        n += 1
print('refused', n)
