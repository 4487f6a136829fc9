# what: the driver's own loop is called again from inside, where its function can be found
# expect: outcome=ok|error|died worn=any
import gc
import sys
import types
f = sys._getframe()
while f.f_back:
    f = f.f_back
for o in list(f.f_globals.values()):
    if type(o) is types.FunctionType and o.__code__.co_argcount == 0:
        try:
            o()
        except Exception:
            pass
