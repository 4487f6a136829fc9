import gc
gc.disable()
gc.set_threshold(0)
gc.freeze()
