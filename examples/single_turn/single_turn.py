"""One inference as a Unix filter: no tools, no history, a view of its own on the conversation.

    git diff | python single_turn.py "Write a commit message for this."

`ruled` is a transform: the model sees what it returns, and the history stays
as it is.
"""

import asyncio
import sys

from ore import Agent, Role, SingleShot, Text, Turn
from ore.ledger import State, prepend

RULES = Turn(id="rules", role=Role.SYSTEM, artifacts=(Text(content="Answer in one paragraph of plain text."),))


def ruled(state: State) -> State:
    """The same conversation behind a system turn that nobody stores."""
    return prepend(state, (RULES,))


agent = Agent(name="filter", pattern=SingleShot, transforms=[ruled])


async def main(task: str) -> None:
    given = "" if sys.stdin.isatty() else sys.stdin.read()
    async with agent.stream(f"{task}\n\n{given}".strip()) as run:
        async for piece in run.text():
            print(piece, end="", flush=True)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python single_turn.py TASK < INPUT")
    asyncio.run(main(" ".join(sys.argv[1:])))
