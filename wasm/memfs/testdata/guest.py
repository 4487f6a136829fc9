import csv, glob, io, os, pathlib, shutil, sqlite3, stat, sys, tempfile, zipfile

def no(call, *args, **more):
    try:
        call(*args, **more)
    except OSError as e:
        return os.strerror(e.errno)
    return "no error"

print("root:", sorted(os.listdir("/")), os.getcwd())
print("read:", open("/files/in.csv").read().split(), [row["b"] for row in csv.DictReader(open("/files/in.csv"))])
print("read-only:", no(open, "/files/in.csv", "a"), "|", no(open, "/new", "w"), "|", no(os.remove, "/files/in.csv"), "|", no(os.mkdir, "/packages/x"))
sys.path.append("/packages")
import hello
print("import:", hello.word)

os.chdir("/out")
p = pathlib.Path("sub/deep")
p.mkdir(parents=True)
(p / "note.txt").write_text("äöü\n", encoding="utf-8")
(p / "b.bin").write_bytes(bytes(range(256)) * 1000)
print("pathlib:", p.resolve(), sorted(str(x) for x in pathlib.Path(".").rglob("*")), (p / "b.bin").stat().st_size)
print("glob:", sorted(glob.glob("/out/**/*.txt", recursive=True)))

with open("t", "w+b") as f:
    f.write(b"0123456789")
    f.seek(3); f.truncate(5); f.seek(0, 2); f.seek(100, 1); f.write(b"x"); f.seek(0)
    print("holes:", f.read()[:7], f.tell(), os.fstat(f.fileno()).st_size)
with open("t", "ab") as f:
    f.write(b"end")
print("append:", open("t", "rb").read()[-4:], "exclusive:", no(open, "t", "x"))
fd = os.open("t", os.O_RDWR)
print("pread:", os.pread(fd, 3, 1), os.pwrite(fd, b"ZZ", 0), os.pread(fd, 4, 0))
os.unlink("t")
print("unlinked:", os.read(fd, 2), os.path.exists("t"), os.fstat(fd).st_nlink)
os.close(fd)

with open("rows.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerows([["a", "b"], [1, "x,y"]])
print("csv:", open("rows.csv", newline="").read().encode())

with tempfile.TemporaryDirectory() as d:
    with tempfile.NamedTemporaryFile(dir=d, delete=False) as f:
        f.write(b"abc")
    print("tempfile:", os.path.dirname(d), os.path.getsize(f.name), len(os.listdir(d)))
print("gone:", os.path.exists(d), os.listdir("/tmp"))
with tempfile.TemporaryFile() as f:
    f.write(b"abc"); f.seek(0)
    print("temporary file:", f.read(), os.listdir("/tmp"))

shutil.copytree("sub", "/tmp/copy")
shutil.move("/tmp/copy/deep/note.txt", "/out/moved.txt")
print("shutil:", [(a, sorted(b), sorted(c)) for a, b, c in os.walk("/tmp")], open("moved.txt", encoding="utf-8").read().strip())
print("copy keeps times:", (os.utime("moved.txt", (1, 1_000_000_000)), shutil.copy2("moved.txt", "m2"), os.stat("m2").st_mtime)[2])
shutil.make_archive("/tmp/all", "zip", "sub")
with zipfile.ZipFile("/tmp/all.zip") as z:
    print("zip:", z.testzip(), sorted(z.namelist()))
    z.extractall("unzipped")
print("extracted:", os.path.getsize("unzipped/deep/b.bin"))
shutil.rmtree("/tmp/copy")

db = sqlite3.connect("/out/data.db")
print("sqlite:", db.execute("pragma journal_mode").fetchone(), sqlite3.connect("/out/data.db").execute("pragma quick_check").fetchone())
db.execute("create table t(a integer primary key, b text)")
with db:
    db.executemany("insert into t(b) values (?)", [("x" * 500,) for _ in range(2000)])
try:
    with db:
        db.execute("delete from t where a > 5")
        raise KeyError
except KeyError:
    pass
print("sqlite:", db.execute("select count(*), sum(length(b)) from t").fetchone(), os.path.exists("/out/data.db-journal"))
db.execute("delete from t where a > 100"); db.commit(); db.execute("vacuum")
print("sqlite:", db.execute("pragma integrity_check").fetchone(), sqlite3.connect("/out/data.db").execute("select count(*) from t").fetchone(), os.path.getsize("/out/data.db") < 200_000)
db.close()

os.symlink("moved.txt", "link")
os.symlink("/files/in.csv", "absolute")
os.link("moved.txt", "hard")
os.symlink("loop", "loop")
print("links:", os.readlink("link"), os.path.realpath("link"), open("absolute").readline().strip(), os.stat("hard").st_nlink, os.path.samefile("hard", "link"), stat.S_ISLNK(os.lstat("link").st_mode), no(open, "loop"))
os.replace("hard", "moved.txt"); os.rename("moved.txt", "renamed")
print("rename:", no(os.rename, "sub", "sub/deep/x"), "|", no(os.rename, "renamed", "sub"), "|", no(os.rmdir, "sub"), "|", no(os.listdir, "renamed"))
os.remove("link"); os.remove("absolute"); os.remove("loop"); os.remove("hard")

for entry in list(os.scandir("/out")):
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
print("left:", sorted(os.listdir("/out")))
with open("/tmp/full", "wb", buffering=0) as f:
    n = 0
    while True:
        try:
            n += f.write(bytes(1 << 20))
        except OSError as e:
            print("told:", e.strerror)
            break
fds = []
print("too many:", no(lambda: [fds.append(os.open("/out/m2", os.O_RDONLY)) for _ in range(2000)]), [os.close(fd) for fd in fds][:1], "|", no(os.rename, "/", "/tmp/x"), "|", no(os.truncate, "/out/m2", 1 << 40))
print("full:", 0 < n < 8 << 20, os.path.getsize("/tmp/full") == n)
os.remove("/tmp/full")
print("room again:", open("/out/last", "w").write("ok"))
