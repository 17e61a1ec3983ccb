import asyncio

from ore import Agent

reached, go_on = asyncio.Event(), asyncio.Event()


async def survey(area: str) -> str:
    """Survey an area; takes a while."""
    reached.set()
    await go_on.wait()
    return f"{area} is surveyed"


agent = Agent(tools=[survey])


async def main() -> None:
    async with agent.session("survey") as session:
        run = session.stream("Survey the north and write a report.")
        await reached.wait()  # it works
        steering = session.stream("In French, please.", mode="steer")
        await steering.accepted()
        go_on.set()
        print((await run.result()).text)
        print([turn.role.value for turn in session.turns])
        print((await steering.result()).status)


asyncio.run(main())
