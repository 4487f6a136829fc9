# Prints what a program can see of the process that it runs in, as far as it has to be the
# same for every program there, and a name for the process: the hash of a text differs from one to
# the next.
import builtins, gc, os, sys, threading, types
fresh = [id(object()), id([]), id({}), id(1e300 * len(sys.path)), len(gc.get_objects()), sys.getallocatedblocks()]
folders = ["/", "/files", "/out", "/tmp"]
print(hash("a name for the process"))
print(fresh)
print(sys.getrefcount(object), sys.getrefcount(None), sys.getrefcount(types), sys.getrefcount(""))
print(len(sys.modules), hash(tuple(map(id, sys.modules.values()))), hash(tuple((k, id(v)) for k, v in vars(builtins).items())))
print(hash(tuple((m, k, id(v)) for m, o in sys.modules.items() if isinstance(o, types.ModuleType) and m != "__main__" for k, v in vars(o).items() if k not in ("_startTime", "_inst", "_name_sequence"))))
print(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.callbacks, threading.active_count())
print(sys.path, sys.argv, sys.meta_path, sys.flags, sys.getrecursionlimit(), sys.warnoptions, sys.gettrace(), sys.getprofile())
print(os.getcwd(), dict(os.environ), [(f, sorted(os.listdir(f)), tuple(os.stat(f))[:7]) for f in folders])
# The root has what is new for each program.
print([(os.stat(f).st_mtime_ns, os.stat(f).st_ctime_ns) for f in folders[1:]])
for number in range(4):
    try:
        print(number, tuple(os.fstat(number))[:7], os.get_blocking(number), os.lseek(number, 0, 1) if number > 2 else "")
    except (OSError, AttributeError) as error:
        print(number, error)
opened = open("/tmp/state", "wb")
print(opened.fileno(), os.fstat(opened.fileno()).st_ino)
try:
    # Room for files is as at the start.
    print(os.posix_fallocate(opened.fileno(), 0, 60 << 20))
except (OSError, AttributeError) as error:
    print(error)
opened.close()
print(len(bytes(16 << 20)))
