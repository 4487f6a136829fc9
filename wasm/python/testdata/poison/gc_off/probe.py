import gc
print(gc.isenabled(), gc.get_threshold()[0] > 0)
