# what: lists, buffers and iterators that change while C looks at them
# expect: outcome=ok|error|died
class Evil:
    def __init__(self, l): self.l = l
    def __eq__(self, other):
        self.l.clear()
        return False
    def __index__(self):
        del b[:]
        return 1

l = []
l.extend([Evil(l)] * 50)
3 in l
l.extend([Evil(l)] * 50)
l.count(1)
b = bytearray(100)
try:
    b[Evil(l):50] = b'12'
except (BufferError, ValueError, IndexError):
    pass
d = {}
class Key:
    def __hash__(self): return 1
    def __eq__(self, other):
        d.clear()
        return False
for _ in range(20):
    d[Key()] = Key()
print('alive')
