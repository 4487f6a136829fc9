import sys
sys.stdout.write("pwned, without a newline")
