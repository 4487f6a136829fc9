# what: symbolic links to the root, to parents and to files of the host, then opened
# expect: outcome=ok stdout~="read []"
import os
read = []
for n, target in enumerate(('/', '/etc', '/etc/passwd', '../../../../etc/passwd', '/proc/self', '../..', '/files')):
    link = f'/tmp/pwned{n}'
    try:
        os.symlink(target, link)
    except OSError:
        continue
    for path in (link, link + '/etc/passwd', link + '/passwd', link + '/environ'):
        try:
            read.append(open(path).read(20))
        except OSError:
            pass
print('read', read)
