# what: a width of two billion in a format
# expect: outcome=error type=MemoryError|ValueError|OverflowError
f'{1:2000000000}'
