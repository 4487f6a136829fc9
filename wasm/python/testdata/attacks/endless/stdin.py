# what: reads standard input to its end, and then again: no byte of the message of the call is there
# expect: outcome=ok|error stdout~="before"
import os
import sys
print('before')
for _ in range(100):
    assert not os.read(0, 1 << 16), 'read a message of the driver'
    assert not sys.stdin.read()
