# what: a gigabyte to standard error in big writes
# expect: outcome=ok|timeout|error
import sys
block = 'e' * (1 << 20)
for _ in range(1024):
    sys.stderr.write(block)
print('done')
