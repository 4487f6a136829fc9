import csv
csv.register_dialect("excel", delimiter="!")
csv.field_size_limit(1)
