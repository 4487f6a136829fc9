import logging
l = logging.getLogger()
print(l.name, l.handlers, l.manager.disable)
