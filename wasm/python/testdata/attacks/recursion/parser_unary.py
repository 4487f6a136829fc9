# what: a hundred thousand minus signs: the parser goes down for each
# expect: outcome=error|died type=RecursionError|MemoryError|SyntaxError stdout~="before"
print('before')
compile('-' * 100_000 + '1', 'x', 'eval')
