# what: sqlite is asked for a blob that does not fit
# expect: outcome=error type=MemoryError|DataError|OperationalError
import sqlite3
sqlite3.connect(':memory:').execute('select length(hex(zeroblob(900000000)))').fetchone()
