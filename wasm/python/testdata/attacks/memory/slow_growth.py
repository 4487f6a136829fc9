# what: a list that grows until there is no memory left
# expect: outcome=error type=MemoryError worn=any stdout~="before"
print('before')
kept = []
while True:
    kept.append(bytearray(1 << 20))
