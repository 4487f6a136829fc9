# what: what the driver has frozen is let go, collected and searched
# expect: outcome=ok|error|died
import gc
gc.unfreeze()
gc.collect()
n = 0
for o in gc.get_objects():
    if type(o) is list and o and not gc.is_finalized(o):
        n += 1
gc.disable()
gc.set_debug(gc.DEBUG_SAVEALL)
print('lists', n > 0)
