import sys
sys.pwned = 1
