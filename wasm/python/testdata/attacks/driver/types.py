# what: classes of Python that the driver uses get other methods
# expect: outcome=ok|error|died
import collections, io, json, traceback

def pwned(self, *a, **k):
    raise KeyboardInterrupt

json.JSONEncoder.encode = json.JSONEncoder.default = json.JSONEncoder.iterencode = pwned
traceback.TracebackException.format = traceback.TracebackException.__init__ = pwned
traceback.StackSummary.extract = pwned
{'a': 1}
