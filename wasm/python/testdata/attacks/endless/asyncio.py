# what: a task that waits for an event that nobody sets, at top level
# expect: outcome=timeout stdout~="before"
import asyncio
print('before')
await asyncio.sleep(10**7)
