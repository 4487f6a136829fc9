# what: an error that is no Exception, of a class whose name and module are odd
# expect: outcome=error
class Pwned(BaseException):
    __module__ = 5
    __qualname__ = '\n\x00'

raise Pwned()
