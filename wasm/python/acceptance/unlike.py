# Prints what must differ each time, one a line.
import os, random, secrets, sqlite3, tempfile, uuid
print(random.random())
print(random.Random().random())
print(random.SystemRandom().random())
print(uuid.uuid4())
print(secrets.token_hex(16))
print(os.urandom(16).hex())
print(tempfile.mktemp())
print(tempfile.NamedTemporaryFile().name)
print(sqlite3.connect(":memory:").execute("SELECT random()").fetchone())
print(sqlite3.connect(":memory:").execute("SELECT hex(randomblob(16))").fetchone())
