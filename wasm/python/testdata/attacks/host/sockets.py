# what: connections to the host, to its metadata address and to the gateway
# expect: outcome=ok stdout~="connected []"
connected = []
try:
    import socket
    for address in (('127.0.0.1', 80), ('127.0.0.1', 8080), ('169.254.169.254', 80), ('1.1.1.1', 53)):
        try:
            socket.create_connection(address, 1)
            connected.append(address)
        except (OSError, AttributeError):
            pass
except ImportError:
    pass
print('connected', connected)
