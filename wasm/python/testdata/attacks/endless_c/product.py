# what: all products of twenty alphabets are counted in C
# expect: outcome=timeout
import itertools
import collections
collections.deque(itertools.product(range(26), repeat=20), maxlen=0)
