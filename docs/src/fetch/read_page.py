import asyncio
import sys

from ore import Agent
from ore.ext.tools.fetch import fetch

own = sys.argv[1:]  # hosts of one's own network, such as wiki.internal
agent = Agent(tools=[fetch(allow=own)])

result = asyncio.run(agent.run("What is on the page?"))
print(result.turns[2].artifacts[0].for_model())
print(result.text)
