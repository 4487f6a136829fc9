# what: a pattern that tries two to the fortieth ways
# expect: outcome=timeout stdout~="before"
import re
print('before')
re.match(r'(a+)+$', 'a' * 40 + 'b')
