import sys
len("a")
print(sys.getprofile())
