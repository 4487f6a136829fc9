# what: a query that counts for ever inside sqlite, where no line of Python is run
# expect: outcome=timeout
import sqlite3
db = sqlite3.connect(':memory:')
db.execute('with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c').fetchone()
