# what: an audit hook, which cannot be taken away again, refuses everything from now on
# expect: outcome=ok|error|died|exit
import sys

def pwned(event, args):
    raise SystemExit(6)

sys.addaudithook(pwned)
