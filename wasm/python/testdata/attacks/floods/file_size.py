# what: one file that grows until the quota refuses it
# expect: outcome=error type=OSError stdout~="before"
print('before')
block = bytes(1 << 20)
with open('/tmp/pwned', 'wb') as f:
    for _ in range(10_000):
        f.write(block)
