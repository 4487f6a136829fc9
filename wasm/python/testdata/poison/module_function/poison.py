import json
json.dumps = lambda *a, **k: "pwned"
