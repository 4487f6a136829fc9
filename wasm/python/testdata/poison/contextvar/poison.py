import decimal, contextvars
v = contextvars.ContextVar("pwned"); v.set(1)
