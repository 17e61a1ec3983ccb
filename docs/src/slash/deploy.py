import asyncio

from ore import Agent
from ore.ext.commands import Invocation, standard_commands


async def deploy(invocation: Invocation) -> None:
    """Say where; no model reads it."""
    if len(invocation.words) != 1:
        invocation.usage("PLACE")
        return
    invocation.say(f"deploying to {invocation.words[0]}")
    await invocation.stream.metadata.set("deployed", invocation.words[0])


commands = standard_commands()
commands.bind("deploy", "deploy to a place", deploy)
agent = Agent(interceptors=[commands], store="memory:")


async def main() -> None:
    async with agent.session("ops") as session:
        for line in ("/deploy staging", "/deplyo staging", "/etc/hosts looks odd"):
            async for entry in session.stream(line).events("notice", "text"):
                print(entry.event.content)
        print(session.metadata.get("deployed"))


asyncio.run(main())
