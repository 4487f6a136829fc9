# what: modules of C are made a second time, which some do not stand
# expect: outcome=ok|error|died
import importlib
import sys
for name in sys.builtin_module_names:
    if name in ('sys', 'builtins', '_imp'):
        continue
    sys.modules.pop(name, None)
    try:
        importlib.import_module(name)
    except ImportError:
        pass
