# what: an error in code whose file and name are those of the driver, of the host, or no text at all
# expect: outcome=error type=ZeroDivisionError
src = compile('1 / 0', '/etc/passwd', 'exec').replace(co_name='<driver>\n\x00', co_filename='/etc/passwd')
exec(src)
