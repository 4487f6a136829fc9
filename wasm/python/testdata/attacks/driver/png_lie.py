# what: a picture that is none, of types that are none
# expect: outcome=ok|error
class Picture:
    def _repr_png_(self): return {'a': object()}
    def _repr_jpeg_(self): return -1
    def _repr_svg_(self): return b'\xff\xfe'

Picture()
