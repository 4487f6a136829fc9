# what: the functions that make the answer are replaced in the modules that have them
# expect: outcome=ok|error|died
import ast, base64, io, json, linecache, os, traceback

def pwned(*a, **k):
    raise KeyboardInterrupt

for m in (ast, base64, io, json, json.encoder, linecache, os, traceback):
    for name, value in list(vars(m).items()):
        if callable(value) and not name.startswith('__'):
            setattr(m, name, pwned)
