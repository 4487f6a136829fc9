# what: quit, exit and what site leaves of them; then KeyboardInterrupt by hand
# expect: outcome=exit|error type=NameError|KeyboardInterrupt
try:
    quit(1)
except NameError:
    raise KeyboardInterrupt
