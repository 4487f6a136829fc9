# what: the buffer below standard output is taken away and closed
# expect: outcome=ok|error type=ValueError
import sys
print('before')
sys.stdout.buffer.raw.close()
sys.stdout.detach().close()
