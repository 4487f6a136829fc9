# what: a pickle that calls what it names: os.system, os._exit through builtins
# expect: outcome=error|died|exit worn=any
import pickle
pickle.loads(b"cos\n_exit\n(I7\ntR.")
