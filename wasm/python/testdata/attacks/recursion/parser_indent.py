# what: blocks in blocks, and statements in one another
# expect: outcome=error|died type=IndentationError|SyntaxError|RecursionError|MemoryError stdout~="before"
print('before')
compile(''.join(' ' * n + 'if 1:\n' for n in range(5000)) + ' ' * 5000 + 'pass\n', 'x', 'exec')
