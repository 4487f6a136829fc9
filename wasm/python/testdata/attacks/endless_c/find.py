# what: a search in text that compares nearly all of the pattern at each place
# expect: outcome=timeout|ok
text = 'a' * 20_000_000
for _ in range(1000):
    (('a' * 1000 + 'b') * 10) in text
