# what: the faults that faulthandler makes for its tests
# expect: outcome=error|died stdout~="before"
import faulthandler
print('before', flush=True)
faulthandler._sigsegv()
