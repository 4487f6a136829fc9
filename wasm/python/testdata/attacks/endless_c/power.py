# what: a power whose result would have a billion digits
# expect: outcome=timeout|error
x = 7 ** (7 ** 12)
