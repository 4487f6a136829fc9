# what: a KeyboardInterrupt that is pending when the program ends
# expect: outcome=ok|error type=KeyboardInterrupt
import _thread
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
_thread.interrupt_main()
