# what: a function that calls itself
# expect: outcome=error type=RecursionError worn=no
def f(n):
    return f(n + 1)

f(0)
