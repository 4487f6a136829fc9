# what: marshal data that announces two billion items
# expect: outcome=ok stdout~="refused 6"
import marshal
n = 0
for t in b'([{<>i':
    try:
        marshal.loads(bytes([t]) + b'\xff\xff\xff\x7f' + b'N' * 10 if t != 105 else b'l\xff\xff\xff\x7f')
    except (EOFError, OverflowError, ValueError, MemoryError, TypeError):
        n += 1
print('refused', n)
