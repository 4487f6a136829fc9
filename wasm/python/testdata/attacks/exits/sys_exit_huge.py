# what: an exit code that no integer of the host holds
# expect: outcome=exit
raise SystemExit(10**100)
