# what: an error from whose traceback the program has cut its own lines
# expect: outcome=error type=ValueError
import sys

def hook(*a):
    raise SystemExit

sys.excepthook = hook
sys.tracebacklimit = -5
raise ValueError('x').with_traceback(None)
