import sys
sys.setswitchinterval(9)
