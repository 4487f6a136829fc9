import collections
print(collections.Counter("aab").most_common(1))
