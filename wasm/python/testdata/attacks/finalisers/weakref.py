# what: weakref.finalize of an object of the interpreter itself, and of one that dies at once
# expect: outcome=ok
import sys
import weakref

class Pwned: pass

p = Pwned()
weakref.finalize(p, print, 'pwned by finalize')
weakref.finalize(sys.modules['os'], print, 'pwned by os')
del p
