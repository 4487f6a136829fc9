# what: every object that the collector knows is searched for what the driver holds, and dicts are emptied
# expect: outcome=ok|error|died
import gc
for o in gc.get_objects():
    if type(o) is dict and o is not globals():
        for k in list(o):
            try:
                if k in ('job', 'reply', 'request', 'response', 'driver', 'sync', 'MAGIC'):
                    o[k] = 'pwned'
            except Exception:
                pass
