# what: a hundred thousand warnings
# expect: outcome=ok
import warnings
warnings.simplefilter('always')
for n in range(20_000):
    warnings.warn(f'pwned {n}')
