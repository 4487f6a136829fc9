# what: a modular power with an exponent of a million bits
# expect: outcome=timeout
m = (1 << 400_000) - 1
pow(3, m, m - 2)
