# what: the sync call from a callback of the event loop
# expect: outcome=error|died worn=yes
import asyncio
import os

async def f():
    await asyncio.sleep(0)
    os.posix_fadvise(1, 0x746F6F6C, 0, 0)

await f()
