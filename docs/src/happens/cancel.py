import asyncio

from ore import Agent

agent = Agent(store="memory:")


async def main() -> None:
    async with agent.session() as session:
        first, second = session.stream("Talk for ever."), session.stream("And then this.")
        async for piece in first.text():
            print("reading:", piece)
            break  # leaving stops nothing
        print("still running:", not first.ended)

        waiter = asyncio.ensure_future(first.result())
        await asyncio.sleep(0)
        waiter.cancel()  # nor does a waiter that gives up
        await asyncio.wait((waiter,))
        print("still running:", not first.ended)

        print("stopped:", await first.cancel())  # this one message; what waits goes on
        print((await first.result()).status, "|", (await second.result()).text)


asyncio.run(main())
