import builtins
old = builtins.__import__
builtins.__import__ = lambda *a, **k: 5
