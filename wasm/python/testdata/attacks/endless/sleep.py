# what: sleep for a month: nothing is run, so nothing looks at a flag
# expect: outcome=timeout stdout~="before"
import time
print('before')
time.sleep(30 * 86400)
