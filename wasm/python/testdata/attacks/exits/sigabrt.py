# what: SIGABRT, whose default is the end
# expect: outcome=error|died|exit
import signal
print('before', flush=True)
signal.raise_signal(signal.SIGABRT)
