# what: the last value is a text of a hundred megabytes, and its repr is as long again
# expect: outcome=ok|error|died
'x' * 100_000_000
