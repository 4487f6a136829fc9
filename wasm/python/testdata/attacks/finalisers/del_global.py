# what: an object in the module's globals whose __del__ prints
# expect: outcome=ok
class Pwned:
    def __del__(self):
        print('pwned by del')

kept = Pwned()
kept.self = kept
