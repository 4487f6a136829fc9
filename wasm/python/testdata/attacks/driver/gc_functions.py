# what: every function that the collector knows gets the code of another
# expect: outcome=ok|error|died|exit|timeout
import gc
import types

def pwned(*a, **k):
    return None

code = pwned.__code__
for o in gc.get_objects() + [r for o in gc.get_objects() for r in gc.get_referents(o)]:
    if type(o) is types.FunctionType and o is not pwned:
        try:
            o.__code__ = code
        except Exception:
            pass
