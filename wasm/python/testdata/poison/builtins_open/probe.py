print(callable(open))
