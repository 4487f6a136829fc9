# what: the exception that ends the program hangs when its text is asked for
# expect: outcome=timeout stdout~="before"
print('before')

class Slow(Exception):
    def __str__(self):
        while True:
            pass

raise Slow
