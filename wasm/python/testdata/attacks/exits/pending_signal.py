# what: a handler that hangs is called by a signal that comes with the last line
# expect: outcome=ok|timeout|error
import signal

def hang(*_):
    while True:
        pass

signal.signal(signal.SIGTERM, hang)
signal.raise_signal(signal.SIGTERM)
