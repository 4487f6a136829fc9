# what: an extension module is loaded from a file of the program's
# expect: outcome=error type=ImportError|NotImplementedError|AttributeError
import importlib.machinery
import importlib.util
open('/tmp/pwned.so', 'wb').write(b'\x00asm\x01\x00\x00\x00')
loader = importlib.machinery.ExtensionFileLoader('pwned', '/tmp/pwned.so')
importlib.util.module_from_spec(importlib.util.spec_from_loader('pwned', loader))
