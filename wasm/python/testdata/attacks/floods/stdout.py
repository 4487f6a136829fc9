# what: prints for ever: what is kept is bounded, and so is what the host holds
# expect: outcome=timeout stdout~="line"
while True:
    print('line' * 1000)
