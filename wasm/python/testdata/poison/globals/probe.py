print('pwned' in globals())
