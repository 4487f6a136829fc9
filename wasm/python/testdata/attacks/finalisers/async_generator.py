# what: an async generator, half used, with a finaliser that awaits for ever
# expect: outcome=ok|timeout
import asyncio

async def numbers():
    try:
        yield 1
    finally:
        await asyncio.sleep(10**6)

async for n in numbers():
    break
