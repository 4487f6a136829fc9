# what: tasks that go on when the program has ended, and a loop that is still set
# expect: outcome=ok worn=any stdout~="started"
import asyncio

async def pwned():
    while True:
        print('pwned', flush=True)
        await asyncio.sleep(0.001)

kept = asyncio.ensure_future(pwned())
print('started')
