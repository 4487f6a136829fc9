import json
print(json.dumps({}))
