# what: a repr that gives a number, and one with surrogates, NUL and control characters
# expect: outcome=ok|error
class Odd:
    def __repr__(self):
        return '\ud800\x00\x1b[2J\u202e"\\' * 10

Odd()
