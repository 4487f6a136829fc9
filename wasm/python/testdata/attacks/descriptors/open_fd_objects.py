# what: file objects over numbers that are not the program's, closed when they are freed
# expect: outcome=ok|error|exit|died
import io
kept = []
for fd in range(20):
    try:
        kept.append(io.FileIO(fd, 'rb'))
    except OSError:
        pass
del kept
