# what: an object that comes back to life in its __del__, into a module that stays
# expect: outcome=ok
import sys

class Pwned:
    def __del__(self):
        sys.pwned = self

Pwned()
print(hasattr(sys, 'pwned'))
