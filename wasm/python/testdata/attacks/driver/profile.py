# what: a profile function that raises at each call and return of the driver
# expect: outcome=ok|error|died|exit
import sys

def pwned(frame, event, arg):
    raise SystemExit(3)

sys.setprofile(pwned)
