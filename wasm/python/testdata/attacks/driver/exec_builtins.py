# what: the builtins of the program's own globals are replaced, then an error is made
# expect: outcome=error
__builtins__ = {'__import__': None}
globals()['__name__'] = 5
globals()['__loader__'] = globals()['__spec__'] = 7
undefined_name
