# what: the sync call from a signal handler
# expect: outcome=error|died worn=yes
import os
import signal
signal.signal(signal.SIGTERM, lambda *a: os.posix_fadvise(1, 0x746F6F6C, 0, 0))
signal.raise_signal(signal.SIGTERM)
for _ in range(1000):
    pass
