import sqlite3
try:
    sqlite3.connect(":memory:").execute("select ?", ([1],))
except sqlite3.Error:
    print("clean")
