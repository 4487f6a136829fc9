# what: the value of the last expression is a dict whose items never end
# expect: outcome=timeout|ok|error
class Endless(dict):
    def items(self):
        n = 0
        while True:
            yield str(n), n
            n += 1
    __iter__ = keys = lambda self: (k for k, _ in self.items())

Endless(a=1)
