# what: generators that hand the work to each other without an end
# expect: outcome=timeout
def ping():
    while True:
        yield from iter([1])

sum(ping())
