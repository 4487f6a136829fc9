import os
print(os.environ.get("PWNED"))
