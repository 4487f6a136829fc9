# what: times and modes at the ends of what fits
# expect: outcome=ok
import os
open('/out/a', 'w').close()
for ns in (0, -1, (1 << 63) - 1, -(1 << 63)):
    try:
        os.utime('/out/a', ns=(ns, ns))
        os.stat('/out/a')
    except (OSError, OverflowError):
        pass
for mode in (0, 0o7777, 0o100000, -1):
    try:
        os.chmod('/out/a', mode)
    except (OSError, OverflowError, AttributeError):
        pass
print('fine')
