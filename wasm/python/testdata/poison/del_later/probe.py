import gc
gc.collect()
print("clean")
