# what: files of the host, straight and by the parents of every folder there is
# expect: outcome=ok stdout~="opened []"
opened = []
for base in ('', '/', '/files/', '/out/', '/tmp/', '/packages/', '/usr/', '/usr/local/lib/python3.12/', './', '//', '/tmp/../', '/./../'):
    for up in ('', '../', '../../../../../../../../', 'x/../../../', '..//..//'):
        for name in ('etc/passwd', 'etc/hostname', 'proc/self/environ', 'proc/self/maps', 'proc/self/fd/0', 'root/.bashrc', 'dev/mem', 'dev/null', 'sys/kernel'):
            try:
                open(base + up + name, 'rb').close()
                opened.append(base + up + name)
            except (OSError, ValueError):
                pass
print('opened', opened)
