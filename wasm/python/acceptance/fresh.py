# Prints what must be the same for every program of a process, and before it a name for
# the process: the hash of a text differs from one to the next.
import gc, os, sys, threading
first = [id(object()), id([]), id({}), len(gc.get_objects()), sys.getallocatedblocks()]
print(hash("the process"))
print(first, sys.getrefcount(None), sys.getrefcount(object), sys.getrefcount(""))
print(len(sys.modules), hash(tuple(map(id, sys.modules.values()))), sorted(globals()), threading.active_count())
print(os.getcwd(), dict(os.environ), [os.listdir(f) for f in ("/files", "/out", "/tmp")], os.open("/tmp/f", os.O_CREAT | os.O_RDWR))
