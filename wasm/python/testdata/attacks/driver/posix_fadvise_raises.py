# what: the call that the driver waits in raises errno 6 for ever
# expect: outcome=ok|error|died|timeout
import os
import posix

def again(*a):
    raise OSError(6, 'again')

os.posix_fadvise = posix.posix_fadvise = again
