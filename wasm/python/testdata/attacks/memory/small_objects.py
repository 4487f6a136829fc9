# what: small objects until there is no memory left, and the answer must be made without any
# expect: outcome=error|died|timeout type=MemoryError
head = None
while True:
    head = [head]
