import linecache
print(repr(linecache.getline("/x", 1)))
