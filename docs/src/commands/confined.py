import asyncio
from pathlib import Path

from ore import Agent
from ore.ext.tools.bash import bash
from ore.ext.tools.sandboxes import BubblewrapSandbox

work = Path("work")
work.mkdir(exist_ok=True)
agent = Agent(tools=[bash(BubblewrapSandbox(work))])  # needs Linux and the program bwrap

result = asyncio.run(agent.run("Write the numbers from 1 to 3 into numbers.txt, and list your files."))
print(result.turns[2].artifacts[0].for_model())
