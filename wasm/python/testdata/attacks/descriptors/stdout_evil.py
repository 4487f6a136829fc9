# what: streams that raise at each use take the place of the three
# expect: outcome=ok|error
import sys

class Evil:
    def __getattr__(self, name):
        raise SystemExit(7)

sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = sys.__stderr__ = Evil()
