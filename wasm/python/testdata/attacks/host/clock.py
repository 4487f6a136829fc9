# what: the clocks cannot be set, and waiting for a moment in the past ends at once
# expect: outcome=ok stdout~="fine"
import time
for way in (lambda: time.clock_settime(time.CLOCK_REALTIME, 0), lambda: time.sleep(-1), lambda: time.sleep(1e-300), lambda: time.sleep(float('nan')), lambda: time.sleep(0)):
    try:
        way()
    except (OSError, ValueError, AttributeError):
        pass
print('fine')
