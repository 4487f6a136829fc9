# what: sys.modules is emptied
# expect: outcome=ok|error|died
import sys
sys.modules.clear()
