import re
print(re.match("a", "abc"))
