# what: the last value is small, and its text is not
# expect: outcome=ok|error|died
a = ['x' * 1000]
for _ in range(6):
    a = [a] * 20
a
