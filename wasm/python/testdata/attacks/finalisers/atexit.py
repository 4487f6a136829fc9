# what: a function for the end of the interpreter, which does not come, or must not be seen by others
# expect: outcome=ok|timeout worn=any
import atexit
atexit.register(lambda: print('pwned at exit'))
atexit.register(lambda: [None for _ in iter(int, 1)])
