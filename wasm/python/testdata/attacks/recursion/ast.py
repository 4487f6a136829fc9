# what: a tree of nodes built by hand, a hundred thousand deep, is compiled
# expect: outcome=error|died type=RecursionError|MemoryError|ValueError stdout~="before"
import ast
import sys
print('before')
sys.setrecursionlimit(10**9)
n = ast.Constant(1, lineno=1, col_offset=0, end_lineno=1, end_col_offset=1)
for _ in range(100_000):
    n = ast.UnaryOp(ast.USub(), n, lineno=1, col_offset=0, end_lineno=1, end_col_offset=1)
compile(ast.Expression(n), 'x', 'eval')
