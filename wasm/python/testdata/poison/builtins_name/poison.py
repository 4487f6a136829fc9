import builtins
builtins.pwned = 1
