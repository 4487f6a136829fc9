# what: select on descriptors and moments that make no sense
# expect: outcome=ok|error|timeout
import select
for args in (([0], [], [], 0), ([1], [1], [1], 0), ([5], [], [], 0), ([], [], [], 0), ([0] * 1000, [], [], 0)):
    try:
        select.select(*args)
    except (OSError, ValueError):
        pass
print('fine')
