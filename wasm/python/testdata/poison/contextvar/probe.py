import contextvars
print([k.name for k in contextvars.copy_context() if k.name == "pwned"])
