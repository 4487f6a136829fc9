import os
print(os.listdir("/out"))
