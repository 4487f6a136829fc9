import sys
print("/tmp/pwned" in sys.path)
