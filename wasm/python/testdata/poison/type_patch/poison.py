import collections
collections.Counter.most_common = lambda s, n=None: "pwned"
