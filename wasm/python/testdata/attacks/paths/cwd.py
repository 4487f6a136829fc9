# what: the current folder is changed to one that is then deleted
# expect: outcome=ok|error type=OSError|FileNotFoundError
import os
os.mkdir('/tmp/d')
os.chdir('/tmp/d')
os.rmdir('/tmp/d')
os.listdir('.')
