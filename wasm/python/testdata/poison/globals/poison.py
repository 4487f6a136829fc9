pwned = 1
