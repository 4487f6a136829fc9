# what: a number of ten million digits becomes text, with the limit of digits taken away
# expect: outcome=timeout|error
import sys
sys.set_int_max_str_digits(0)
str((1 << 60_000_000) - 1)
