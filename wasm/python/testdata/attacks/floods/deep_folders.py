# what: folders in folders, without an end
# expect: outcome=error type=OSError
import os
path = '/tmp'
while True:
    path += '/d'
    os.mkdir(path)
