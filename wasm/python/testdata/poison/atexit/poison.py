import atexit
atexit.register(print, "pwned")
