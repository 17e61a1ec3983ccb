import asyncio
import os

from ore import Agent
from ore.ext.tools.mcp import McpOptions, McpServer

sums = McpServer.http("sums", os.environ["SUMS_URL"], token=os.environ.get("SUMS_TOKEN"), options=McpOptions(call_s=20))
agent = Agent(tools=sums)
print(agent.run_sync("How much is 1 + 2?").text)


async def read() -> None:
    async with sums:
        for found in await sums.resources():
            print(found.uri, found.description)
        print((await sums.read_resource("note://today"))[0].for_model())
        for draft in await sums.get_prompt("review", {"code": "1 + 1"}):
            print(draft.role, draft.artifacts[0].for_model())


asyncio.run(read())
