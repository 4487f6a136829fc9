import math
math.pi = 3
