import csv, json
print(csv.__name__, json.__name__)
