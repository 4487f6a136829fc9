# what: who and where the program is, as far as the system tells: no name, user or process of the host
# expect: outcome=ok
import getpass
import os
import platform
import socket
import sys
for ask in (lambda: os.uname(), lambda: platform.node(), lambda: getpass.getuser(), lambda: os.getlogin(), lambda: os.getuid(), lambda: os.getpid(), lambda: socket.gethostname(), lambda: os.cpu_count(), lambda: sys.argv, lambda: sys.executable, lambda: os.getcwd()):
    try:
        print(ask())
    except Exception as e:
        print(type(e).__name__)
