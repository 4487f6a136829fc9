import signal
signal.signal(signal.SIGINT, lambda *a: print("pwned"))
