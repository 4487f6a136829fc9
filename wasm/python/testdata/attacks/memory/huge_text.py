# what: a text of a billion bytes
# expect: outcome=error type=MemoryError worn=no
'a' * 10**9
