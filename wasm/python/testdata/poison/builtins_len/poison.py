import builtins
builtins.len = lambda x: 99
