# what: a list of ten billion numbers
# expect: outcome=error type=MemoryError|OverflowError
list(range(10**10))
