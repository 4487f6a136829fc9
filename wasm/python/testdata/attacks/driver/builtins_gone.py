# what: the builtins are emptied
# expect: outcome=ok|error|died
import builtins
vars(builtins).clear()
