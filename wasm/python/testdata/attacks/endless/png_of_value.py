# what: the picture of the last value is made for ever
# expect: outcome=timeout
class Picture:
    def _repr_png_(self):
        while True:
            pass

Picture()
