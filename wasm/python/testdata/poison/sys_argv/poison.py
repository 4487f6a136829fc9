import sys
sys.argv.append("pwned")
