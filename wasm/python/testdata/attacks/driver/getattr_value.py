# what: a value that has every attribute, and each is something else that can be called
# expect: outcome=ok|error
class Any:
    def __getattr__(self, name):
        return lambda *a, **k: Any()

Any()
