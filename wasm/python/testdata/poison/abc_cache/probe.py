from collections.abc import Sequence
print(isinstance(5, Sequence))
