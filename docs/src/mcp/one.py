import asyncio
import sys

from ore import Agent
from ore.ext.tools.mcp import McpServer

notes = McpServer.stdio("notes", sys.executable, "notes_server.py")
agent = Agent(tools=notes)


async def main() -> None:
    async with notes:  # one process for everything inside
        print((await agent.run("Remember the milk.")).text)
        print((await agent.run("What do I have to do?")).text)


asyncio.run(main())
