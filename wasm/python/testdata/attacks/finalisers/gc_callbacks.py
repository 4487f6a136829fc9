# what: callbacks of the collector that print and raise, and a collection at each allocation
# expect: outcome=ok|error
import gc

def pwned(phase, info):
    raise SystemExit(5)

gc.callbacks.append(pwned)
gc.set_threshold(1, 1, 1)
[[] for _ in range(100)]
