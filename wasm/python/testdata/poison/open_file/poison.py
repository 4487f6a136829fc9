import os
f = os.open("/tmp/pwned", os.O_CREAT | os.O_RDWR)
os.write(f, b"secret")
