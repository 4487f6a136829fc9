# what: one call of C that adds ten to the fifteenth numbers
# expect: outcome=timeout stdout~="before"
print('before')
sum(range(10**15))
