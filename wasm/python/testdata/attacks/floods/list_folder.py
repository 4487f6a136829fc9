# what: a folder of as many files as are let, listed again and again while it changes
# expect: outcome=ok|error type=OSError
import os
for n in range(500):
    open(f'/tmp/pwned{n}', 'w').close()
for n, entry in enumerate(os.scandir('/tmp')):
    if entry.name.startswith('pwned'):
        os.unlink(entry.path)
    open(f'/tmp/pwned-new{n}', 'w').close()
    if n > 5000:
        break
