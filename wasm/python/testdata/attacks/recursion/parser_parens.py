# what: a source of a hundred thousand open parentheses is compiled
# expect: outcome=error|died type=SyntaxError|MemoryError|RecursionError stdout~="before"
print('before')
compile('(' * 100_000 + ')' * 100_000, 'x', 'eval')
