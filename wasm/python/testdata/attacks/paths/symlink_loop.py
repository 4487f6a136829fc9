# what: links that lead to themselves and to each other
# expect: outcome=ok|error type=OSError
import os
try:
    os.symlink('a', '/tmp/a')
    os.symlink('/tmp/c', '/tmp/b')
    os.symlink('/tmp/b', '/tmp/c')
except OSError as e:
    print(type(e).__name__)
for path in ('/tmp/a', '/tmp/b/x', '/tmp/c'):
    try:
        open(path)
    except OSError:
        pass
os.path.realpath('/tmp/a')
