# what: the buffer below standard output is taken away and closed
# expect: outcome=ok|error type=ValueError
import sys
print('before')
getattr(sys.stdout.buffer, 'raw', sys.stdout.buffer).close()
sys.stdout.detach().close()
