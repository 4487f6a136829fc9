# what: a loop around input(), which must fail at once, and not wait for somebody who is not there
# expect: outcome=ok stdout~="1000 times"
n = 0
for _ in range(1000):
    try:
        input('name? ')
    except Exception:
        n += 1
print(n, 'times')
