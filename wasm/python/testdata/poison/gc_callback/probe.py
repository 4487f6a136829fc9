import gc
gc.collect()
print(gc.callbacks)
