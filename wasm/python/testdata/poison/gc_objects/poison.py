pwned_secret = {"pwned_secret": [1]}
