# what: an error with a text of fifty megabytes ends the program
# expect: outcome=error|died type=ValueError
raise ValueError('x' * 50_000_000)
