# what: hooks that show values and errors are replaced
# expect: outcome=ok worn=any
import sys

def pwned(*a):
    raise SystemExit(2)

sys.displayhook = sys.excepthook = sys.__displayhook__ = sys.__excepthook__ = pwned
41 + 1
