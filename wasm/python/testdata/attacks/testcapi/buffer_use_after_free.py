# what: memory of a memoryview after the release of its owner, with the known trick of a reading __index__
# expect: outcome=ok|error|died type=ValueError|BufferError
class Evil:
    def __index__(self):
        m.release()
        b.clear()
        return 0

b = bytearray(1 << 20)
m = memoryview(b)
try:
    print(m[Evil()])
except ValueError as e:
    print(e)
bytearray(b'x' * (1 << 20))
