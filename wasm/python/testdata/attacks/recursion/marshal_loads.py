# what: marshal data of a list in a list, a million deep
# expect: outcome=error|died type=ValueError|RecursionError|MemoryError|EOFError stdout~="before"
import marshal
print('before')
marshal.loads(b'[\x01\x00\x00\x00' * 1_000_000)
