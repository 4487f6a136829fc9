x = []
try:
    while True:
        x.append(bytes(1 << 20))
except MemoryError:
    pass
