import sys
print(sys.excepthook is sys.__excepthook__)
