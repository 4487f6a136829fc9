import json
try:
    json.dumps(object())
except TypeError:
    print("clean")
