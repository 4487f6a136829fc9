import copyreg
copyreg.pickle(complex, lambda c: (str, ("pwned",)))
