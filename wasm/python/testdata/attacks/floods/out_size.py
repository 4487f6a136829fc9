# what: artifacts of ten gigabytes
# expect: outcome=error type=OSError stdout~="before"
print('before')
block = bytes(1 << 20)
for n in range(10_000):
    with open(f'/out/pwned{n}', 'wb') as f:
        f.write(block)
