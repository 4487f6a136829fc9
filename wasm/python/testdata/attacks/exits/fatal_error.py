# what: Py_FatalError through faulthandler
# expect: outcome=error|died|exit stdout~="before"
import faulthandler
print('before', flush=True)
faulthandler._fatal_error_c_thread()
