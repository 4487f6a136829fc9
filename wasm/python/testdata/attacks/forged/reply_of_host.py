# what: a reply with the members that only the host may set: artifacts, notes, dropped, worn
# expect: outcome=ok|error|died worn=any
import json
import os
host = [{'name': '../../etc/passwd', 'size': 5, 'Name': '../../etc/passwd', 'Size': -1}]
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, json.dumps({'outcome': 'ok', 'artifacts': host, 'Artifacts': host, 'dropped': -5, 'notes': ['pwned'], 'Notes': ['pwned'], 'worn': '', 'Worn': '', 'stdout': 'pwned'}).encode())
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
