"""The embedded model itself: llama.cpp and the real weights, on one thread.

The model is small and often wrong, so what it says is not judged, only that
and how it is said.
"""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ore.artifact import Artifact, Blocks, StopReason, Text, TextDelta, ToolCall, ToolResult, Usage
from ore.errors import BadRequestError, ContextOverflowError, ModelNotFoundError
from ore.ext.providers.local import SMOLLM2, LocalProvider, OnChunk, Runtimes, Settings, find, load_engine
from ore.ledger import Buffer, Role, decode_turn, encode_turn
from ore.models import Spec
from ore.provider import Option, OutputOption, WithTools
from ore.tool import Tool, ToolContext


def missing() -> str:
    """Why the model cannot run here; empty when it can."""
    if find_spec("xllamacpp") is None:
        return "xllamacpp is not installed: make test brings it"
    try:
        find(SMOLLM2)
    except ModelNotFoundError as error:
        return str(error)
    return ""


pytestmark = [pytest.mark.slow, pytest.mark.skipif(missing() != "", reason=missing())]

ENOUGH_S = 120
"""Seconds for an answer that takes two on an idle machine; a busy one reads the weights and thinks slowly."""

SPEC = Spec(name="local", temperature=0.0, max_output_tokens=24)
STORY = Spec(name="local", temperature=0.0, max_output_tokens=3000)


class Body:
    """A tool that is offered and never run."""

    blocking = False

    def __init__(self, **properties: Mapping[str, Any]) -> None:
        self.schema = {"type": "object", "properties": properties, "required": list(properties)}

    def parse(self, arguments: str) -> Mapping[str, Any]:
        raise NotImplementedError

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        raise NotImplementedError


CALCULATOR = Tool(
    name="calculator",
    description="Evaluates an arithmetic expression.",
    body=Body(expression={"type": "string", "maxLength": 20}),
)
WEATHER = Tool(
    name="weather",
    description="Current weather in a city.",
    body=Body(city={"enum": ["Lisbon", "Porto"]}, days={"type": "integer", "minimum": 1, "maximum": 7}),
)


def asked(text: str) -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content=text))
    return state


async def artifacts_of(
    provider: LocalProvider, state: Buffer, *options: Option, spec: Spec = SPEC
) -> Sequence[Artifact]:
    async with asyncio.timeout(ENOUGH_S), aclosing(provider.invoke(state, spec, *options)) as batches:
        return [artifact async for batch in batches for artifact in batch]


def folded(artifacts: Sequence[Artifact]) -> Sequence[Artifact]:
    blocks = Blocks("turn", lambda artifact, block: None)
    for artifact in artifacts:
        blocks.add(artifact)
    return blocks.close()


async def test_an_answer_comes_in_pieces_with_a_reason_and_its_price_at_the_end() -> None:
    *deltas, reason, usage = await artifacts_of(LocalProvider(), asked("Count from one to a hundred."))
    assert len(deltas) > 1
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert reason == StopReason(reason="length")
    assert isinstance(usage, Usage)
    assert (usage.completion_tokens, usage.cost_usd) == (24, Decimal(0))
    assert usage.prompt_tokens is not None
    assert usage.total_tokens == usage.prompt_tokens + 24


async def test_a_conversation_from_a_store_is_answered_and_its_prompt_need_not_be_read_again() -> None:
    provider = LocalProvider()
    state = asked("My name is Ada.")
    state.add(Role.ASSISTANT, *folded(await artifacts_of(provider, state)))
    state.add(Role.USER, Text(content="What is my name?"))
    stored = Buffer([decode_turn(encode_turn(turn)) for turn in state.turns])
    answer = folded(await artifacts_of(provider, stored))
    assert isinstance(answer[0], Text)
    usage = answer[-1]
    assert isinstance(usage, Usage)
    assert (usage.cache_read_tokens or 0) > 20


async def test_leaving_an_answer_frees_its_slot_for_the_next() -> None:
    provider = LocalProvider()
    async with asyncio.timeout(ENOUGH_S), aclosing(provider.invoke(asked("Tell a long story."), STORY)) as batches:
        await anext(batches)
    assert provider.runtime("local").slots.busy == 0
    assert await artifacts_of(provider, asked("Hi."))


class Watched:
    """The real engine; `reading` is set when it has begun to read a prompt."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.engine = load_engine(path, settings)
        self.reading = threading.Event()

    def handle_chat_completions(self, request: Mapping[str, Any], on_chunk: OnChunk, /) -> None:
        def watched(chunk: Mapping[str, Any]) -> bool:
            self.reading.set()
            return on_chunk(chunk)

        self.engine.handle_chat_completions(request, watched)


async def test_leaving_while_a_long_prompt_is_read_frees_the_slot_too() -> None:
    engine = Watched(find(SMOLLM2), Settings(slots=1))
    provider = LocalProvider(settings=Settings(slots=1), runtimes=Runtimes(load=lambda path, settings: engine))
    async with asyncio.timeout(ENOUGH_S), asyncio.TaskGroup() as group:
        reader = group.create_task(artifacts_of(provider, asked("word " * 3500), spec=STORY))
        await asyncio.to_thread(engine.reading.wait)
        reader.cancel()
    assert provider.runtime("local").slots.busy == 0
    assert await artifacts_of(provider, asked("Hi."))


@pytest.mark.requirement("B104")
def test_one_provider_answers_in_one_event_loop_after_another_and_in_two_threads() -> None:
    provider = LocalProvider()
    answers: list[Sequence[Artifact]] = []

    def answer() -> None:
        answers.append(asyncio.run(artifacts_of(provider, asked("Hi."))))

    answer()
    answer()
    threads = [threading.Thread(target=answer) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(answer[-1]) for answer in answers] == [Usage] * 4


async def test_a_prompt_beyond_the_window_is_an_overflow() -> None:
    with pytest.raises(ContextOverflowError) as caught:
        await artifacts_of(LocalProvider(), asked("word " * 5000))
    assert (caught.value.provider, caught.value.status) == ("local", 400)


@pytest.mark.parametrize("question", ["What is 12*7?", "What is the weather in Lisbon?"])
async def test_with_tools_it_calls_one_that_exists_with_arguments_that_fit(question: str) -> None:
    tools = WithTools((CALCULATOR, WEATHER))
    spec = Spec(name="local", temperature=0.0, max_output_tokens=80)
    first, reason, _ = folded(await artifacts_of(LocalProvider(), asked(question), tools, spec=spec))
    if isinstance(first, Text):  # as it may
        assert reason == StopReason(reason="stop")
        return
    assert isinstance(first, ToolCall)
    assert reason == StopReason(reason="tool_use")
    arguments = json.loads(first.arguments)
    if first.name == "calculator":
        assert list(arguments) == ["expression"]
    else:
        assert (first.name, list(arguments)) == ("weather", ["city", "days"])
        assert arguments["city"] in ("Lisbon", "Porto")


async def test_a_call_that_it_repeated_is_followed_by_an_answer_in_text() -> None:
    state = asked("What is 12*7?")
    for id in ("c1", "c2"):
        state.add(Role.ASSISTANT, ToolCall(id=id, name="calculator", arguments='{"expression": "12*7"}'))
        state.add(Role.TOOL, ToolResult(tool_call_id=id, content="84"))
    answer = folded(await artifacts_of(LocalProvider(), state, WithTools((CALCULATOR,))))
    assert isinstance(answer[0], Text)


async def test_typed_output_is_json_of_its_schema() -> None:
    schema = {"type": "object", "properties": {"mood": {"enum": ["good", "bad"]}}, "required": ["mood"]}
    answer = folded(await artifacts_of(LocalProvider(), asked("How are you?"), OutputOption("mood", schema)))
    assert isinstance(answer[0], Text)
    assert json.loads(answer[0].content) in ({"mood": "good"}, {"mood": "bad"})


async def test_a_schema_that_cannot_be_decoded_by_is_a_bad_request() -> None:
    with pytest.raises(BadRequestError):
        await artifacts_of(LocalProvider(), asked("Hi."), OutputOption("odd", {"type": "colour"}))


async def test_the_port_that_the_runtime_opens_answers_nobody() -> None:
    engine: Any = load_engine(find(SMOLLM2), Settings(window=256, slots=1))
    body = json.dumps({"messages": [{"role": "user", "content": "Hi."}], "max_tokens": 1}).encode()
    for path, data in (("/v1/chat/completions", body), ("/", None)):
        request = urllib.request.Request(engine.listening_address + path, data)
        with pytest.raises(urllib.error.HTTPError) as caught:
            await asyncio.to_thread(urllib.request.urlopen, request, timeout=5)
        assert caught.value.code in (401, 404)
        caught.value.close()
