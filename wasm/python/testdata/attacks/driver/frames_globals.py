# what: the frames below the program are walked, and their globals emptied
# expect: outcome=ok|error|exit|died
import sys
f = sys._getframe()
while f.f_back:
    f = f.f_back
    if f.f_globals is not globals():
        f.f_globals.clear()
