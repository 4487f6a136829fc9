# what: a sort whose keys change the list that is sorted
# expect: outcome=error type=ValueError error~="list modified during sort"
items = list(range(1000))

class Key:
    def __init__(self, n): pass
    def __lt__(self, other):
        items.append(1)
        return True

items.sort(key=Key)
