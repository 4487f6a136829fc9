# what: a loop that does nothing, for ever, after a line of output
# expect: outcome=timeout stdout~="before"
print('before')
while True:
    pass
