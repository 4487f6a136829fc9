import csv, io
print(list(csv.reader(io.StringIO("a,bb"))))
