# what: one file is opened ten thousand times, and never closed
# expect: outcome=ok|error type=OSError
import os
open('/tmp/pwned', 'w').close()
kept = [os.open('/tmp/pwned', os.O_RDONLY) for _ in range(10_000)]
