import sqlite3
sqlite3.register_adapter(list, lambda l: "pwned")
