import atexit
print(atexit._ncallbacks() if hasattr(atexit, "_ncallbacks") else 0)
