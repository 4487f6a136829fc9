# what: a generator that goes on yielding when it is closed
# expect: outcome=ok
def stubborn():
    while True:
        try:
            yield
        except GeneratorExit:
            pass

g = stubborn()
next(g)
