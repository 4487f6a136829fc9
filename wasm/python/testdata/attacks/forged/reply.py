# what: a whole reply that the program has made up, then the sync point: it may lie about itself, and about nobody else
# expect: outcome=ok|error|died worn=any
import json
import os
os.posix_fadvise(1, 0x746F6F6C, 1, 0)
os.write(1, json.dumps({'Outcome': 'ok', 'outcome': 'ok', 'Value': {'Repr': '42'}, 'value': {'repr': '42'}}).encode())
os.posix_fadvise(1, 0x746F6F6C, 0, 0)
