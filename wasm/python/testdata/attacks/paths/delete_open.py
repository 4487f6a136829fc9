# what: files are deleted, moved and cut while they are open, and folders while they are listed
# expect: outcome=ok stdout~="fine"
import os
f = open('/tmp/a', 'w+b')
f.write(b'x' * 100_000)
try:
    os.unlink('/tmp/a')
except OSError:
    pass
f.flush()
f.seek(0)
f.read()
f.truncate(10)
os.mkdir('/tmp/d')
it = os.scandir('/tmp/d')
os.rmdir('/tmp/d')
try:
    list(it)
    os.stat('/tmp/d')
except OSError:
    pass
print('fine')
