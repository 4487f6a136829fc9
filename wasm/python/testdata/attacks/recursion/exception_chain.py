# what: an error that has a hundred thousand causes, one in another, ends the program
# expect: outcome=error|died type=ValueError|RecursionError|MemoryError stdout~="before"
print('before')
e = None
for n in range(100_000):
    f = ValueError(n)
    f.__cause__ = e
    e = f
raise e
