import gc
gc.callbacks.append(lambda *a: print("pwned"))
