import codecs
codecs.register(lambda n: codecs.lookup("utf-8") if n == "pwned" else None)
