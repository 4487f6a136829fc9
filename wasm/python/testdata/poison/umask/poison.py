import os
try:
    os.umask(0o777)
except AttributeError:
    pass
