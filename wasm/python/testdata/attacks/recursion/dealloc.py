# what: a chain of a million objects is freed at once
# expect: outcome=ok worn=any
class Node:
    __slots__ = ('next',)

head = None
for _ in range(300_000):
    n = Node()
    n.next = head
    head = n
del n, head

t = ()
for _ in range(300_000):
    t = (t,)
del t
