# what: a function of every opcode there is, with every small argument, each on its own
# expect: outcome=ok|error|died|timeout|exit
import random
def f(a=1, *b, c=2, **d):
    return a

for n in range(5000):
    code = random.randbytes(2 * random.randrange(1, 40))
    try:
        f.__code__ = f.__code__.replace(co_code=code)
        f()
    except BaseException:
        pass
