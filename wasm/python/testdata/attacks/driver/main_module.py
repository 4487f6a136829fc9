# what: the module of the driver, if it has one, is looked up by its usual names and emptied
# expect: outcome=ok|error|died
import sys
for name in ('__main__', 'driver', '_driver', 'toolgate', '__mp_main__'):
    m = sys.modules.get(name)
    if m is not None:
        vars(m).clear()
