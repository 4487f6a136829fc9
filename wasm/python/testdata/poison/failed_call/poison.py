import sys
sys.last_value = 5
raise ValueError("pwned")
