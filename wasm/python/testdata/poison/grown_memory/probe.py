import gc
print(b"pw" + b"ned" in bytes(10_000_000))
