import asyncio
asyncio.set_event_loop_policy(None)
asyncio.sleep = None
