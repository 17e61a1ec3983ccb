import asyncio

from ore import Agent
from ore.ext.observe.usage_status import UsageStatus, usage_properties

agent = Agent(handlers=[UsageStatus()], store="memory:")


async def main() -> None:
    async with agent.session("moon") as session:
        print(usage_properties(session.turns))
        async for entry in session.stream("How far is the moon?").events("properties"):
            print({operation.key: operation.value for operation in entry.event.operations})


asyncio.run(main())
