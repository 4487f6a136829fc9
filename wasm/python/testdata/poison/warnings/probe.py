import warnings
warnings.warn("x")
print("went on")
