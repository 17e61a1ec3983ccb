"""A server for the tests of the page: the HTTP conduit, with a model that does what a message says.

`python serving.py PORT STORE TOKEN BELOW`, an empty token for none, and empty where
it stands at the root. Messages: `hold`
begins an answer and never ends it, `slow` goes on for a while, `long` has many
paragraphs, `think` reasons first, `look` calls a tool, `dump` one
that says a lot, `ask` one that needs an
approval, `delegate` an agent, `fail` fails; whatever else is said comes back.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from ore.app import Agent, open_store
from ore.artifact import Artifact, ReasoningDelta, Text, TextDelta, ToolCallDelta, Usage
from ore.errors import ModelNotFoundError, RateLimitError
from ore.event import provenance
from ore.ext.commands import Commands, Invocation
from ore.ext.conduits.http import HttpOptions, http_app
from ore.ledger import Role, State
from ore.models import Spec
from ore.provider import Option
from ore.session import AskPolicy, Manager, Roster, Services
from ore.tool import tool

PIECE = 5
SLOW = "Slowly, word by word, this goes on. " * 40
LONG = "\n\n".join(f"Paragraph {number}: " + "words and more words " * 8 for number in range(1, 41))


class Theatre:
    """A provider without a model."""

    name = "theatre"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Sequence[Artifact], None]:
        turns = state.turns
        said = next((text_of(turn.artifacts) for turn in reversed(turns) if turn.role is Role.USER), "")
        if turns[-1].role is Role.TOOL:
            yield [TextDelta(content="All done.")]
        elif said.startswith("hold"):
            yield [ReasoningDelta(content="Hm.")]
            yield [TextDelta(content="I begin and ")]
            await asyncio.Event().wait()
        elif said.startswith("fail"):
            raise RateLimitError("too many requests", provider=self.name, retry_after_s=1)
        elif call := CALLS.get(said.split()[0] if said.split() else ""):
            yield [TextDelta(content="Let me see.")]
            yield [ToolCallDelta(index=0, id="c1", name=call[0], arguments=json.dumps(call[1]))]
        else:
            if said.startswith("think"):
                yield [ReasoningDelta(content="First **both** sides.")]
            text = SLOW if said.startswith("slow") else LONG if said.startswith("long") else said
            for start in range(0, len(text), PIECE):
                yield [TextDelta(content=text[start : start + PIECE])]
                await asyncio.sleep(0.01 if text is SLOW else 0)
        yield [Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)]


CALLS = {
    "look": ("look", {"path": "a.txt"}),
    "ask": ("wipe", {"folder": "build"}),
    "rent": ("rent", {"car": "small"}),
    "delegate": ("helper", {"prompt": "slow and steady"}),
    "dump": ("dump", {"rows": 200}),
    "edit": ("edit", {"path": "a.py", "old": "x = 1", "new": "x = 2"}),
}


def text_of(artifacts: Sequence[Artifact]) -> str:
    return " ".join(part.content for part in artifacts if isinstance(part, Text))


@tool
def look(path: str) -> str:
    """Look at a file."""
    return f"<script>window.pwned=1</script> {path}: 3 lines"


@tool
def dump(rows: int) -> str:
    """Say a lot."""
    return json.dumps([{"row": row, "value": "x" * 20} for row in range(rows)])


@tool
def edit(path: str, old: str, new: str) -> str:
    """Change a file."""
    return "changed 1 line"


@tool(approve=True)
def wipe(folder: str) -> str:
    """Remove a folder."""
    return f"removed {folder}"


@tool(approve=True, editable=True)
def rent(car: str) -> str:
    """Rent a car."""
    return f"rented a {car} one"


def manager(store_url: str) -> Manager:
    inner = Agent(Theatre(), name="helper", description="Works on a task of its own.")
    tools = [look, dump, edit, wipe, rent, inner.as_tool()]
    agents = [
        replace(Agent(Theatre(), name=name, description=description, tools=tools).spec(), spec=Spec(name=model))
        for name, description, model in (("Helper", "Says what you say.", "play"), ("Other", "Says it, too.", "plain"))
    ]
    commands = Commands()
    commands.bind("greet", "greets somebody", greet)
    commands.bind("elsewhere", "says it through another conduit", elsewhere)
    services = Services(asking=AskPolicy(wait=True), resolve=theatre)
    return Manager(Roster(agents), open_store(store_url), interceptors=[commands], services=services)


def theatre(name: str) -> tuple[Theatre, str]:
    """The provider of a model's name; there is one."""
    provider, _, model = name.partition(":")
    if provider != Theatre.name:
        raise ModelNotFoundError(f"expected {Theatre.name}:NAME, got {name!r}", provider=provider)
    return Theatre(), model


async def greet(invocation: Invocation) -> None:
    """Say hello."""
    invocation.say(f"hello {invocation.text}")


async def elsewhere(invocation: Invocation) -> None:
    """Say something as if it came from another front end."""
    with provenance("telegram"):
        invocation.stream.submit(invocation.text)


async def serve(port: int, store_url: str, token: str, below: str) -> None:
    sessions = manager(store_url)
    app = http_app(sessions, HttpOptions(token=token or None))
    config = uvicorn.Config(
        Starlette(routes=[Mount(below, app)]) if below else app,
        port=port,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), *sys.argv[2:]))
