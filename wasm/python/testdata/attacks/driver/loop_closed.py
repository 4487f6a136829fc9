# what: the loop that runs the program's awaits is stopped and closed from inside
# expect: outcome=error|ok type=RuntimeError
import asyncio
asyncio.get_running_loop().stop()
await asyncio.sleep(0)
asyncio.get_running_loop().close()
await asyncio.sleep(0)
