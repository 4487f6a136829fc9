import asyncio
async def f():
    await asyncio.sleep(0)
    return 1
print(asyncio.run(f()))
