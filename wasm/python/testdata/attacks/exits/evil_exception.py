# what: an error whose every attribute raises another error
# expect: outcome=error
class Evil(Exception):
    def __getattribute__(self, name):
        raise Evil()

raise Evil()
