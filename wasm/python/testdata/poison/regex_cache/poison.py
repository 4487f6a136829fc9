import re
re.compile("a")
for k in list(re._cache):
    re._cache[k] = re.compile("pwned")
