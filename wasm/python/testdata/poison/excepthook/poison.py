import sys
sys.excepthook = lambda *a: print("pwned")
