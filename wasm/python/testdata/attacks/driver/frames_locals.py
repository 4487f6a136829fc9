# what: locals of the frames below are read and written, with the job in them
# expect: outcome=ok|error|died
import sys
f = sys._getframe()
while f.f_back:
    f = f.f_back
    for k in list(f.f_locals):
        f.f_locals[k] = 'pwned'
