# what: every module that the driver could use is replaced by a number
# expect: outcome=ok|error|died
import sys
for name in list(sys.modules):
    sys.modules[name] = 5
