# what: errors that cannot be raised, with a hook that raises as well
# expect: outcome=ok|error|exit
import sys

def hook(u):
    raise SystemExit(4)

sys.unraisablehook = hook

class Pwned:
    def __del__(self):
        raise ValueError('x' * 1000)

Pwned()
