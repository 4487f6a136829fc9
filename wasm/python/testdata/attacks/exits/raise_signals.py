# what: all signals are raised, those that end a process too
# expect: outcome=ok|error|exit|died
import signal
for n in range(1, 65):
    try:
        signal.raise_signal(n)
    except (ValueError, OSError, KeyboardInterrupt):
        pass
