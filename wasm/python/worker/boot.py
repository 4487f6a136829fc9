# The program of -c: it reads the first message, which has the driver, and runs it.
import json
import os
import sys

_message = json.loads(b"".join(iter(lambda: os.read(0, 1 << 20), b"")))
_place = {"__name__": "<driver>", "settings": _message["settings"]}
exec(compile(_message["driver"], "<driver>", "exec", dont_inherit=True), _place)
del _message
_place["main"]()
