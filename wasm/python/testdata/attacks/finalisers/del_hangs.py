# what: an object whose __del__ hangs when the globals of the program are cleared
# expect: outcome=ok|timeout
class Pwned:
    def __del__(self):
        while True:
            pass

kept = Pwned()
