# what: an endless iterator is drunk up by a deque that keeps nothing
# expect: outcome=timeout
import collections
import itertools
collections.deque(itertools.cycle([0]), maxlen=0)
