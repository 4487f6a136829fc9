# what: a dict of keys that all have one hash
# expect: outcome=timeout
class Key:
    def __hash__(self): return 1
    def __eq__(self, other): return self is other

{Key(): n for n in range(10_000_000)}
