try:
    "ä".encode("ascii")
except UnicodeEncodeError:
    print("clean")
