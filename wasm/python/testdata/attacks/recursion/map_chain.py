# what: maps over maps: the known way to run out of C stack, as nothing counts the depth
# expect: outcome=ok|error|died type=RecursionError|MemoryError stdout~="before"
print('before')
it = iter([1])
for _ in range(200_000):
    it = filter(None, it)
next(it)
