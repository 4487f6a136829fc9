# what: the folder of the files of the call, the packages and the library are written, and their own files changed
# expect: outcome=ok stdout~="written []"
import os
written = []
for path in ('/files/pwned', '/packages/pwned.py', '/usr/pwned', '/usr/local/lib/python3.12/pwned.py', '/usr/local/lib/python3.12/os.py', '/pwned', '/etc/pwned', '/dev/pwned', '/proc/pwned'):
    for mode in ('w', 'a', 'r+'):
        try:
            with open(path, mode) as f:
                f.write('pwned')
            written.append((path, mode))
        except OSError:
            pass
for call in (lambda: os.rmdir('/files'), lambda: os.rmdir('/out'), lambda: os.rmdir('/tmp'), lambda: os.mkdir('/files/d'), lambda: os.unlink('/usr/local/lib/python3.12/os.py'), lambda: os.mkdir('/pwned.d')):
    try:
        call()
        written.append('call')
    except OSError:
        pass
print('written', [w for w in written if w[0] not in ('/pwned', '/etc/pwned')])
