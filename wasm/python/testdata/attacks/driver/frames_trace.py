# what: the frames below get a trace function that changes locals and jumps
# expect: outcome=ok|error|exit|died
import sys

def pwned(frame, event, arg):
    try:
        frame.f_lineno = frame.f_code.co_firstlineno + 1
    except Exception:
        pass
    raise SystemExit(3)

f = sys._getframe()
while f:
    f.f_trace = pwned
    f = f.f_back
sys.settrace(pwned)
