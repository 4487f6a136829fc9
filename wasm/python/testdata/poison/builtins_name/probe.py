try:
    pwned
except NameError:
    print("clean")
