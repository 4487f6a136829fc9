# what: __import__ is replaced by one that hands out empty modules
# expect: outcome=ok|error
import builtins
import types
builtins.__import__ = lambda name, *a, **k: types.ModuleType(name)
