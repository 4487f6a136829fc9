# what: a small compressed block that becomes a gigabyte
# expect: outcome=error type=MemoryError
import zlib
c = zlib.compressobj(9)
block = bytes(1 << 20)
packed = b''.join([c.compress(block) for _ in range(400)] + [c.flush()])
del block
zlib.decompress(packed)
