# what: a __del__ that ends the process
# expect: outcome=ok|died|exit|error
import os

class Pwned:
    def __del__(self):
        os._exit(9)

kept = Pwned()
kept.self = kept
