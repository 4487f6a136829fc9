# what: all memory is taken, small pieces first; the error is caught, and a little work is done with none left
# expect: outcome=ok|error|died type=MemoryError
kept = []
size = 1 << 24
while size > 16:
    try:
        while True:
            kept.append(bytearray(size))
    except MemoryError:
        size //= 2
print('nothing left')
