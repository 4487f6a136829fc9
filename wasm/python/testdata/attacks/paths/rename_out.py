# what: files are moved out of their places, over folders, and folders into themselves
# expect: outcome=ok
import os
os.mkdir('/tmp/d')
open('/tmp/d/f', 'w').close()
moves = [('/tmp/d', '/tmp/d/e'), ('/tmp/d/f', '/tmp'), ('/tmp', '/out/tmp'), ('/out', '/tmp/out'), ('/tmp/d/f', '/files/f'), ('/files', '/tmp/files'), ('/', '/tmp/root'), ('/tmp/d/f', '/usr/local/lib/python3.12/os.py'), ('/tmp/d', '/../d'), ('/tmp/d/f', '/etc/passwd'), ('/tmp/d', '/tmp/d'), ('/tmp/d/f', '/tmp/d/f')]
done = []
for a, b in moves:
    try:
        os.rename(a, b)
        done.append((a, b))
    except OSError:
        pass
print([m for m in done if m[0] != m[1]])
