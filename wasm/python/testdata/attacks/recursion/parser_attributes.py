# what: an expression a hundred thousand deep to the left, which the parser reads in a loop and the compiler goes down
# expect: outcome=error|died type=RecursionError|MemoryError stdout~="before"
print('before')
compile('x' + '.x' * 100_000, 'x', 'eval')
