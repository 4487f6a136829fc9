# what: a text that doubles until it does not fit
# expect: outcome=error type=MemoryError
s = 'x'
while True:
    s += s
