# what: threads, pools and processes: none starts, and each says so
# expect: outcome=ok stdout~="started []"
import threading
import concurrent.futures
started = []
try:
    threading.Thread(target=lambda: started.append('thread')).start()
except RuntimeError:
    pass
try:
    with concurrent.futures.ThreadPoolExecutor(2) as p:
        p.submit(started.append, 'pool').result()
except (RuntimeError, ImportError):
    pass
print('started', started)
