import codecs
codecs.register_error("strict", lambda e: ("pwned", e.end))
