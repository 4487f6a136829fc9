import os
os.environ["PWNED"] = "1"
