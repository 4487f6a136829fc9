# what: iterators over iterators, two hundred thousand deep: each next goes down in C with no check
# expect: outcome=ok|error|died type=RecursionError|MemoryError stdout~="before"
import itertools
print('before')
it = iter([1])
for _ in range(200_000):
    it = itertools.chain(it)
next(it)
