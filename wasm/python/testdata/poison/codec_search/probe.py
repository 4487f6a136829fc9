import codecs
try:
    codecs.lookup("pwned")
except LookupError:
    print("clean")
