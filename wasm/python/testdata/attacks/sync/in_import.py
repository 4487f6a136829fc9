# what: the sync call from a module while it is imported
# expect: outcome=error|died worn=yes
import sys
open('/tmp/pwned.py', 'w').write('import os\nos.posix_fadvise(1, 0x746F6F6C, 0, 0)\n')
sys.path.insert(0, '/tmp')
import pwned
