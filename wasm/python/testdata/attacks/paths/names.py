# what: artifacts with names that mean something to somebody: dots, newlines, NUL, controls, invalid UTF-8, drive letters
# expect: outcome=ok worn=any
import os
for name in (b'..', b'...', b'a\nb', b'a\rb', b'\x1b[2J', b'\xff\xfe', b'\xed\xa0\x80', b'C:\\x', b'-rf', b'con', b' ', b'a\\..\\..\\b', b'%2e%2e%2fx', b'~', b'$HOME', b'x' * 255, '\u202egnp.exe'.encode(), b'a:b', b'<script>', b'"', b"'", b'.hidden', b'name\x7f'):
    try:
        with open(b'/out/' + name, 'wb') as f:
            f.write(b'x')
    except OSError:
        pass
try:
    open('/out/a\0b', 'w')
except ValueError as e:
    print(e)
