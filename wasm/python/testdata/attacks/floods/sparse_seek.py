# what: a file of a terabyte with one byte in it
# expect: outcome=error type=OSError|OverflowError|MemoryError stdout~="before"
print('before')
with open('/out/pwned', 'wb') as f:
    f.seek(1 << 40)
    f.write(b'x')
