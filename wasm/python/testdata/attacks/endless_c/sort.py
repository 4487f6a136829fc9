# what: a sort whose keys compare for ever
# expect: outcome=timeout
class Key:
    def __lt__(self, other):
        while True:
            pass

sorted([Key(), Key()])
