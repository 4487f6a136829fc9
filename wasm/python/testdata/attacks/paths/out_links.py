# what: links in /out to folders that hold other things: an artifact is a regular file of /out, and only that
# expect: outcome=ok|error type=OSError
import os
for n, target in enumerate(('/files', '/tmp', '/', '/usr/local/lib/python3.12/os.py', '/etc/passwd')):
    try:
        os.symlink(target, f'/out/pwned{n}')
        os.link(target, f'/out/hard{n}')
    except OSError:
        pass
