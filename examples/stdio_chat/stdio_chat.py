"""A chat by lines: a conduit of one's own, in sixty lines.

    python stdio_chat.py [SESSION]

A conduit submits, subscribes and renders; it never drives a turn and never
sees a model. An empty line, `exit`, `quit` or the end of the input ends it, and
the session goes on where it was the next time.
"""

import asyncio
import sys

from ore import Agent, Manager, Notice, Stream, TextDelta
from ore.app import live_sessions
from ore.event import ErrorEvent, Lifecycle
from ore.session import Descriptor, Host

agent = Agent(name="chat", instructions="Be brief.")


class LineConduit:
    """Standard input to one session, what comes of it to standard output."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    @property
    def descriptor(self) -> Descriptor:
        return Descriptor(name="lines", description="one message a line", capabilities=frozenset({"text"}))

    async def serve(self, sessions: Manager) -> None:
        stream = await sessions.open(self._session_id)
        await stream.idle()  # what an earlier process left goes on first
        while True:
            line = (await asyncio.to_thread(sys.stdin.readline)).strip()
            if line in ("", "exit", "quit"):
                return
            await self._answer(stream, line)

    async def _answer(self, stream: Stream, line: str) -> None:
        async with stream.subscribe() as events:
            ticket = stream.submit(line)
            async for entry in events:
                event = entry.event
                if isinstance(event, TextDelta):
                    print(event.content, end="", flush=True)
                elif isinstance(event, Notice):
                    print(f"({event.content})", file=sys.stderr)
                elif isinstance(event, ErrorEvent):
                    print(f"({event.code}: {event.message})", file=sys.stderr)
                elif isinstance(event, Lifecycle) and event.phase == "done" and entry.context.message == ticket.id:
                    print()
                    return


async def main(session_id: str) -> None:
    async with live_sessions([agent]) as sessions:
        host = Host(sessions)
        host.add(LineConduit(session_id))
        await host.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "chat"))
