# what: a hundred thousand empty files in /tmp: the number is bounded, not the bytes only
# expect: outcome=error type=OSError
for n in range(100_000):
    open(f'/tmp/pwned{n}', 'w').close()
