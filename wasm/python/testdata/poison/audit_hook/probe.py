compile("1", "x", "eval")
print("clean")
