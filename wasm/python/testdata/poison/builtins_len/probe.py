print(len("abc"))
