# what: a hundred thousand small artifacts; those that come back are bounded, and the answer says so
# expect: outcome=ok|error type=OSError
for n in range(100_000):
    with open(f'/out/pwned{n}', 'w') as f:
        f.write('x')
