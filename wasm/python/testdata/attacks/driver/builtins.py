# what: every builtin is replaced by one that raises
# expect: outcome=ok|error|died
import builtins

def pwned(*a, **k):
    raise SystemExit(9)

for name in dir(builtins):
    if not name.startswith('__'):
        setattr(builtins, name, pwned)
