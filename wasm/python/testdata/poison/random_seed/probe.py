import random
print(random.random() == random.random())
