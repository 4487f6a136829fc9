import gc
name = "_".join(["pwned", "secret"])
print(any(type(o) is dict and name in o and o is not globals() for o in gc.get_objects()))
