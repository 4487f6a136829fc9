import os
os.chdir("/tmp")
