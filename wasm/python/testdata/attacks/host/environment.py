# what: the environment of the gateway
# expect: outcome=ok stdout~="[]"
import os
print([k for k in os.environ if k not in ('PYTHONHASHSEED', 'PWD', 'HOME', 'TMPDIR', 'LC_ALL', 'LANG', 'PYTHONHOME', 'PYTHONPATH')])
