# what: exits with values that are no exit codes: huge, negative, an object whose text fails
# expect: outcome=exit|error
class Odd:
    def __str__(self):
        raise ValueError('no text')
    __repr__ = __int__ = __index__ = __str__

raise SystemExit(Odd())
