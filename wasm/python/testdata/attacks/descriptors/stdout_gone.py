# what: the three streams are deleted
# expect: outcome=ok|error
import sys
del sys.stdout, sys.stderr, sys.stdin
1 / 1
