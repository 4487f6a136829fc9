x = bytes(50_000_000)
print(len(x))
