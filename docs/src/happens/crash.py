import asyncio
import os
import signal
import sys
from pathlib import Path

from ore import Agent, Role, tool

book = Path("payments.txt")


def pay(name: str) -> str:
    """Pay somebody."""
    with book.open("a") as file:
        file.write(f"{name}\n")
    return f"{name} is paid"


def die(reason: str) -> str:
    """The worst that can happen: no signal is handled, nothing is flushed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "never said"


@tool(idempotent=True)
def look(name: str) -> str:
    """May run twice without harm."""
    return f"{name} was looked at"


agent = Agent(tools=[pay, tool(die, alone=True), look])


async def main() -> None:
    async with agent.session("crash") as session:
        if sys.argv[1] == "begin":
            await session.run("Pay Ann, then die.")  # the process ends here
        await session.handle.idle()  # what the dead process left goes on by itself
        for turn in session.turns:
            for artifact in turn.artifacts:
                if artifact.kind in ("tool_result", "text") and turn.role != Role.USER:
                    print(f"{turn.role.value}: {artifact.for_human()}")


asyncio.run(main())
print("payments:", book.read_text().split())
