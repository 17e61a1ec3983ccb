"""A tool that may not run before somebody said yes, even if that takes until tomorrow.

    python approvals.py ask "Pay Ann 20 and Bob 500."     submits; waits for nobody
    python approvals.py list                              what is asked, with its exact arguments
    python approvals.py yes KEY                           or: no KEY; the work goes on

The question is a record in the store. Each of these commands is a process of
its own: nothing is lost between them, and no payment is made twice.
"""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ore import Agent, Answer, Stream, tool
from ore.app import live_sessions

SESSION = "payments"


def is_large(arguments: Mapping[str, Any]) -> bool:
    """Small payments need nobody."""
    return arguments["amount"] > 100


@tool(approve=is_large)
def pay(name: str, amount: int) -> str:
    """Pay somebody."""
    with Path("payments.txt").open("a") as book:
        book.write(f"{name} {amount}\n")
    return f"{name} got {amount}"


agent = Agent(name="cashier", tools=[pay], instructions="Pay what is asked for, then say what was paid.")


async def settled(stream: Stream) -> None:
    """Return once the session rests, or waits for somebody."""
    _, events = stream.snapshot_and_subscribe("question", "lifecycle")
    async with events:
        while stream.snapshot().phase not in ("idle", "waiting"):
            await anext(events)


async def main(words: list[str]) -> None:
    async with live_sessions([agent]) as sessions:
        stream = await sessions.open(SESSION)
        if words[0] == "ask":
            await stream.submit(" ".join(words[1:])).accepted()
        await settled(stream)
        if words[0] in ("yes", "no"):
            decision = "approve" if words[0] == "yes" else "deny"
            await stream.answer(words[1], Answer(key=words[1], decision=decision))
            await stream.idle()
            print(stream.turns[-1].artifacts[0].for_human())
        for question in stream.snapshot().questions:
            print(question.key, question.tool, question.arguments)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("ask", "list", "yes", "no"):
        sys.exit("usage: python approvals.py ask TEXT | list | yes KEY | no KEY")
    asyncio.run(main(sys.argv[1:]))
