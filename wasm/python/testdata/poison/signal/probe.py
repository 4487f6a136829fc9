import signal
print(type(signal.getsignal(signal.SIGINT)).__name__ != "function" or signal.getsignal(signal.SIGINT) is signal.default_int_handler)
