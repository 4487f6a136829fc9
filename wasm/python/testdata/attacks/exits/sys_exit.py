# what: the ordinary way out, with a number
# expect: outcome=exit worn=no stdout~="before"
import sys
print('before')
sys.exit(3)
