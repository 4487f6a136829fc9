# what: the call that the driver waits in is replaced
# expect: outcome=ok|error|died
import os
import posix
os.posix_fadvise = posix.posix_fadvise = lambda *a: None
