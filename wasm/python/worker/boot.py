# The program of -c: it reads the first message, which has the driver, and runs it.
import builtins
import json
import os

_message = json.loads(b"".join(iter(lambda: os.read(0, 1 << 20), b"")))
_place = {
    "__name__": "<driver>",
    "__builtins__": vars(builtins).copy(),  # programs change the others
    "settings": _message["settings"],
}
exec(compile(_message["driver"], "<driver>", "exec", dont_inherit=True), _place)
del _message
_place["main"]()
