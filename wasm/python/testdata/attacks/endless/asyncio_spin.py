# what: an event loop whose callbacks put themselves into the queue again
# expect: outcome=timeout
import asyncio

loop = asyncio.new_event_loop()

def again():
    loop.call_soon(again)

again()
loop.run_forever()
