# what: descriptors 0 to 100 are closed, and the program ends as if nothing were
# expect: outcome=ok|error|exit|died
import os
os.closerange(0, 101)
