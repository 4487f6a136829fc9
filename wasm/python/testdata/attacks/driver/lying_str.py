# what: values that claim to be text, JSON and pictures and are not
# expect: outcome=ok|error
class Lie(str):
    def __str__(self): return 5
    def __repr__(self): return Lie('x')
    def encode(self, *a): return 'no bytes'
    def __len__(self): return -1
    def __iter__(self): raise SystemExit
    @property
    def __class__(self): return dict

Lie('hello')
