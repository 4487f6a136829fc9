# what: the sync call from a trace function, when the driver goes on
# expect: outcome=error|died|ok worn=any
import os
import sys

def pwned(frame, event, arg):
    if frame.f_code.co_filename != __file__ if '__file__' in globals() else True:
        sys.setprofile(None)
        os.posix_fadvise(1, 0x746F6F6C, 0, 0)

sys.setprofile(pwned)
