# what: ten million empty lines, each a write of its own
# expect: outcome=ok|timeout
for _ in range(10_000_000):
    print()
