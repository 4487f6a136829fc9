# what: random bytes are read as marshal data, and code that comes out is run
# expect: outcome=ok|error|died|timeout|exit
import marshal
import random
good = marshal.dumps(compile('print(1)\ndef f(x): return x + 1\nf(2)', 'x', 'exec'))
for n in range(20_000):
    data = bytearray(good)
    for _ in range(random.randrange(1, 8)):
        data[random.randrange(len(data))] = random.randrange(256)
    try:
        exec(marshal.loads(bytes(data)), {})
    except BaseException:
        pass
