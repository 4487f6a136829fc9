import os
print(os.listdir("/tmp"))
