# what: one comparison after another in C: no line of Python is run
# expect: outcome=timeout
import itertools
-1 in itertools.count()
