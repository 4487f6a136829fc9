import sys
print(sys.exc_info(), hasattr(sys, "last_value"))
