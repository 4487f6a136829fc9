# what: modules from folders of the host, from a zip file of the program's and from /files
# expect: outcome=ok stdout~="found []"
import importlib
import sys
sys.path[:0] = ['/etc', '/usr/lib/python3', '/usr/lib/python3/dist-packages', '/proc/self/cwd', '/root', '/work', '..', '/../..']
importlib.invalidate_caches()
found = []
for name in ('apt', 'yaml', 'dbus', 'numpy', 'gateway', 'conftest', 'lsb_release'):
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
print('found', found)
