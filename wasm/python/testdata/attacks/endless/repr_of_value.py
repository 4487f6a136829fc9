# what: the value of the last expression hangs when it is shown
# expect: outcome=timeout stdout~="before"
print('before')

class Slow:
    def __repr__(self):
        while True:
            pass

Slow()
