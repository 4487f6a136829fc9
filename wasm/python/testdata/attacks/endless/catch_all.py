# what: a loop that catches everything that is raised into it, KeyboardInterrupt and SystemExit too
# expect: outcome=timeout stdout~="before"
print('before')
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
