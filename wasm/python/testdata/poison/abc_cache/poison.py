from collections.abc import Sequence
Sequence.register(int)
