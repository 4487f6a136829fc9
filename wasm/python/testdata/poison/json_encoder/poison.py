import json
json.JSONEncoder.default = lambda s, o: "pwned"
