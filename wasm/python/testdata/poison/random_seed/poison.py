import random
random.seed(1)
random.random = lambda: 0.5
