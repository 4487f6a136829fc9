import pickle
print(pickle.loads(pickle.dumps(1j)))
