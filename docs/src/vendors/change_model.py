import asyncio
import sys

from ore import Agent

first, second = sys.argv[1:3]  # such as anthropic:claude-sonnet-5-5 openai-responses:gpt-6-sol


async def main() -> None:
    async with Agent(first).session() as session:
        print((await session.run("Hello?")).text)
        await session.metadata.set("ore.model.name", second)
        run = session.stream("And now?")
        async for entry in run.events():
            if entry.kind == "notice":
                print("notice:", entry.event.content)
        print((await run.result()).text, session.turns[-1].model)


asyncio.run(main())
