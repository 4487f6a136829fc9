# what: takes a hundred megabytes and gives them back: what has grown stays in the instance
# expect: outcome=ok worn=any stdout~="fine"
x = bytearray(100 << 20)
x[::4096] = b'\xff' * len(x[::4096])
del x
print('fine')
