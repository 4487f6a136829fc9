import sys
sys.setprofile(lambda *a: print("pwned"))
