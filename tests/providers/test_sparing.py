"""A picture that its server refuses costs one message, not the conversation."""

from collections.abc import AsyncGenerator

import pytest

from ore import Agent, Image, Text
from ore.artifact import Artifact, Notice, ResultStatus, TextDelta, ToolResult
from ore.errors import BadRequestError, ContextOverflowError, ModelNotFoundError, ProviderError
from ore.ext.providers.sparing import Sparing, without_media
from ore.ledger import Buffer, MemoryStore, Role, State, Turn
from ore.models import Spec
from ore.provider import Batch, Option
from ore.testing import ScriptedProvider

WIDE = Image(data=b"\x89PNG wide", media_type="image/png", name="wide.png")


class Particular:
    """A server that takes no picture, and says so with a status of its own."""

    name = "particular"

    def __init__(self, error: ProviderError | None = None) -> None:
        self._error = error or BadRequestError("messages.0.content.1: the image is too wide", status=400)
        self.asked: list[list[Artifact]] = []

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        everything = [artifact for turn in state.turns for artifact in turn.artifacts]
        self.asked.append(everything)
        if any(isinstance(one, Image) or getattr(one, "media", None) for one in everything):
            raise self._error
        yield (TextDelta(content="Yes."),)


@pytest.mark.requirement("B29")
async def test_the_next_plain_message_is_answered_though_the_picture_is_in_the_history() -> None:
    """The picture stays there, and a notice says that it was not sent. It is asked with it only once."""
    server = Particular()
    async with Agent(Sparing(server)).session("s", store=MemoryStore()) as session:
        with pytest.raises(BadRequestError, match="too wide"):
            await session.run([Text(content="What is it?"), WIDE])
        run = session.stream("Never mind. Are you there?")
        notices = [one.event.content async for one in run.events("notice") if isinstance(one.event, Notice)]
        assert (await run.result()).text == "Yes."
        assert (await session.run("Still?")).text == "Yes."
    assert len(notices) == 1 and "without the pictures" in notices[0]
    assert len(server.asked) == 4
    assert Text(content="[image left out: wide.png]") in server.asked[-1]
    assert WIDE in session.turns[0].artifacts


REFUSALS = [
    (BadRequestError("no", status=400), True),
    (ContextOverflowError("too many bytes", status=413), True),
    (ContextOverflowError("too many tokens", status=400), False),
    (ModelNotFoundError("no endpoint that takes images", status=404), True),
]


@pytest.mark.requirement("B29")
@pytest.mark.parametrize(("error", "spared"), REFUSALS)
async def test_only_what_media_may_have_caused_is_asked_again(error: ProviderError, spared: bool) -> None:
    server = Particular(error)
    state = Buffer()
    state.add(Role.USER, WIDE)
    state.add(Role.USER, Text(content="Hello?"))
    agent = Agent(Sparing(server))
    if spared:
        assert (await agent.run("Hello?", history=state.turns)).text == "Yes."
    else:
        with pytest.raises(ContextOverflowError):
            await agent.run("Hello?", history=state.turns)


async def test_a_refusal_without_media_is_a_refusal() -> None:
    server = ScriptedProvider([BadRequestError("no")], [TextDelta(content="x")])
    with pytest.raises(BadRequestError):
        await Agent(Sparing(server)).run("Hello?")
    assert len(server.invocations) == 1


async def test_what_was_seen_is_not_said_again() -> None:
    server = ScriptedProvider([TextDelta(content="I"), BadRequestError("no")], [TextDelta(content="x")])
    history = Buffer()
    history.add(Role.USER, WIDE)
    with pytest.raises(BadRequestError):
        await Agent(Sparing(server)).run("Hello?", history=history.turns)
    assert len(server.invocations) == 1


def test_pictures_of_tools_are_left_out_and_turns_without_any_are_the_same_objects() -> None:
    state = Buffer()
    said = state.add(Role.USER, Text(content="x"))
    result = ToolResult(tool_call_id="c", content="a picture", status=ResultStatus.OK, media=(WIDE,))
    state.add(Role.TOOL, result)
    last: Turn = state.add(Role.USER, WIDE)
    turns = without_media(state.turns)
    assert turns[0] is said and turns[2] is last
    assert turns[1].artifacts[0].for_model() == "a picture" and turns[1].artifacts[0].media is None  # type: ignore[attr-defined]
