# what: a factorial in C
# expect: outcome=timeout|error
import math
math.factorial(50_000_000)
