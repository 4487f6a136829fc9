# what: sockets made from the numbers of descriptors, accept and receive on each
# expect: outcome=ok|error stdout~="used []"
import socket
used = []
for fd in range(60):
    try:
        s = socket.socket(fileno=fd)
        s.recv(10)
        used.append(fd)
    except BaseException:
        pass
print('used', used)
