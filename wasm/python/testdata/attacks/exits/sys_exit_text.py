# what: the ordinary way out, with a text
# expect: outcome=exit worn=no
import sys
sys.exit('enough')
