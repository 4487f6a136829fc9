import sys
print(hasattr(sys, "pwned"))
