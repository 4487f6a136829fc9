import builtins
builtins.print = lambda *a: None
