# what: abort of the C library: an unreachable instruction
# expect: outcome=died|error worn=yes stdout~="before"
import os
print('before', flush=True)
os.abort()
