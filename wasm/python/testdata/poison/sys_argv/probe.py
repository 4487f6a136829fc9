import sys
print("pwned" in sys.argv)
