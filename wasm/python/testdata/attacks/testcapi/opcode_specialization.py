# what: counters and monitoring of the interpreter's own loop are switched on for everything
# expect: outcome=ok|error|exit|died
import sys
m = sys.monitoring
m.use_tool_id(2, 'pwned')

def pwned(*a):
    raise SystemExit(8)

for e in (m.events.PY_START, m.events.PY_RETURN, m.events.LINE, m.events.CALL):
    m.register_callback(2, e, pwned)
m.set_events(2, m.events.PY_START | m.events.PY_RETURN | m.events.LINE | m.events.CALL)
