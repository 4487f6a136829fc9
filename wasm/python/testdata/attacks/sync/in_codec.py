# what: the sync call from an error handler of a codec
# expect: outcome=error|died worn=yes
import codecs
import os

def pwned(e):
    os.posix_fadvise(1, 0x746F6F6C, 0, 0)
    return '?', e.end

codecs.register_error('pwned', pwned)
'ä'.encode('ascii', 'pwned')
