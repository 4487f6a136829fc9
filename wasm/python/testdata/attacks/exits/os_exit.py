# what: the process ends at once, in the middle of everything
# expect: outcome=exit|died|error worn=yes stdout~="before"
import os
print('before', flush=True)
os._exit(0)
