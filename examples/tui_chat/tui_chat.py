"""A screen over an agent of one's own, with a tool that asks before it runs.

    python tui_chat.py [SESSION]

It needs a terminal and the extra `tui`. `/keys` says what the keys do; Ctrl-D
leaves. The next time the session goes on where it was: with what a kill cut,
and with a question that nobody answered.
"""

import asyncio
import sys
from pathlib import Path

from ore import Agent, tool
from ore.app import live_sessions
from ore.ext.commands import standard_commands
from ore.ext.conduits.terminal import ScreenSettings, TerminalConduit, Zones

LIST = Path("shopping.txt")


def read_list() -> str:
    """What is on the shopping list."""
    return LIST.read_text() if LIST.exists() else "nothing yet"


@tool(approve=True, editable=True)
def add(article: str, amount: int) -> str:
    """Put something on the shopping list; whoever watches is asked first."""
    with LIST.open("a") as file:
        file.write(f"{amount} {article}\n")
    return f"{amount} {article} added"


agent = Agent(
    name="kitchen",
    tools=[read_list, add],
    instructions="You plan meals and keep the shopping list. Be brief.",
    interceptors=[standard_commands()],
)
look = ScreenSettings(name="Kitchen", zones=Zones({"list": "context"}))


async def main(session_id: str) -> None:
    async with live_sessions([agent]) as sessions:
        stream = await sessions.open(session_id)
        await stream.metadata.set("list", str(LIST))  # shown below the status line
        conduit = TerminalConduit(session_id, settings=look)
        await conduit.serve(sessions)
    if conduit.shown.crash is not None:
        sys.exit(f"the screen failed ({type(conduit.shown.crash).__name__}); nothing of the session is lost")
    print(f"to go on: python {Path(sys.argv[0]).name} {session_id}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "kitchen"))
