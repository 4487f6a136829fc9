import sys
(lambda: 1)()
print(sys.gettrace())
