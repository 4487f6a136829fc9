# what: works well at first and hangs later, when the reply could be on its way: at the exit of the thread state
# expect: outcome=timeout|ok stdout~="done"
import sys

class Bomb:
    def __del__(self):
        while True:
            pass

sys.modules['pwned'] = Bomb()
print('done')
del sys.modules['pwned']
