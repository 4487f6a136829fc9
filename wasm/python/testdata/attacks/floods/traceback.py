# what: an error of a program whose lines are a megabyte long
# expect: outcome=error type=ZeroDivisionError
exec(compile('x = 1; ' + 'y = "' + 'z' * 1_000_000 + '"; 1 / 0', 'code.py', 'exec'))
