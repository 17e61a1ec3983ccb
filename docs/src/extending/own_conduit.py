import asyncio

from ore import Agent, Manager, Stream
from ore.app import live_sessions
from ore.event import Gap, TurnComplete, provenance
from ore.ledger import Turn
from ore.session import Descriptor, Host


class Board:
    """Shows a conversation, whoever talks in it."""

    descriptor = Descriptor(name="board", description="shows one session", capabilities=frozenset({"text"}))

    def __init__(self, lines: int) -> None:
        self._lines = lines

    async def serve(self, sessions: Manager) -> None:
        stream = await sessions.open("hall")
        snapshot, events = stream.snapshot_and_subscribe(deltas=False)  # the state, and all that comes behind it
        shown = list(snapshot.turns)
        async with events:
            async for entry in events:
                if isinstance(entry.event, Gap):  # events were dropped, or the path was changed: begin anew
                    shown = list(entry.event.snapshot.turns)
                elif isinstance(entry.event, TurnComplete):
                    shown.append(entry.event.turn)
                    print(entry.context.provenance, "|", said(entry.event.turn))
                if len(shown) == self._lines:
                    return


class Caller:
    """Says something, and goes."""

    def __init__(self, name: str, text: str) -> None:
        self.descriptor = Descriptor(name=name)
        self._text = text

    async def serve(self, sessions: Manager) -> None:
        stream: Stream = await sessions.open("hall")
        with provenance(self.descriptor.name):  # every event of the message says where it came from
            await stream.process(self._text)


def said(turn: Turn) -> str:
    return f"{turn.role.value}: {turn.artifacts[0].for_human()}"


async def main() -> None:
    async with live_sessions([Agent()], store="memory:") as sessions:
        host = Host(sessions)
        for conduit in (Board(lines=4), Caller("phone", "Is anybody there?"), Caller("door", "Hello?")):
            host.add(conduit)
        await host.run()


asyncio.run(main())
