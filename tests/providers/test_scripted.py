"""`scripted:FILE` plays exactly what its file says, and says exactly what is wrong with one."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from ore import Agent
from ore.app import ProviderSettings
from ore.artifact import Artifact, StopReason, Text, TextDelta, ToolCall, Usage, encode
from ore.errors import InputError, OreError, OverloadedError, ProviderError, describe
from ore.event import TurnComplete
from ore.ext.providers.script import read_script
from ore.ext.providers.scripted import make
from ore.ledger import Buffer, State
from ore.models import Spec
from ore.provider import Batch, Option, Provider
from ore.testing.contracts.provider import Answer, ProviderBench, ProviderCheck, provider_checks
from strategies import artifacts, deltas

HEL, LO = {"kind": "text_delta", "content": "Hel"}, {"kind": "text_delta", "content": "lo"}
USAGE = {"kind": "usage", "prompt_tokens": 7, "completion_tokens": 3}
CALL = {"kind": "tool_call_delta", "index": 0, "id": "c1", "name": "look", "arguments": "{}"}


def written(folder: Path, content: Any) -> Path:
    """A file with this content: text as it is, everything else as JSON."""
    path = folder / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def scripted(folder: Path, *calls: Sequence[Any], **more: Any) -> Provider:
    return made(written(folder, {"calls": calls, **more}))


def made(path: Path | None) -> Provider:
    return make(ProviderSettings(path=str(path) if path else None))


async def played(provider: Provider) -> list[list[Artifact]]:
    """The batches of one inference."""
    async with asyncio.timeout(5), aclosing(provider.invoke(Buffer(), Spec())) as batches:
        return [list(batch) async for batch in batches]


@pytest.mark.requirement("D-scripted-order")
async def test_each_inference_of_a_session_takes_the_next_list(tmp_path: Path) -> None:
    path = written(tmp_path, {"calls": [[{"kind": "text_delta", "content": text}] for text in ("one", "two")]})
    agent = Agent(f"scripted:{path}", store="memory:")
    async with asyncio.timeout(5), agent.session("a") as a, agent.session("b") as b:
        answers = [(await session.run("Next?")).text for session in (a, b, b, a)]
    assert answers == ["one", "one", "two", "two"]


@pytest.mark.requirement("D-scripted-order")
async def test_after_the_last_list_an_inference_fails_and_the_session_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, {"calls": [[HEL]]})
    async with asyncio.timeout(5), Agent(f"scripted:{path}", store="memory:").session() as session:
        await session.run("Next?")
        for _ in range(2):
            with pytest.raises(ProviderError) as caught:
                await session.run("Next?")
            assert caught.value.code == "bad_request"
            assert str(path) in str(caught.value)
        assert [turn.role.value for turn in session.turns] == ["user", "assistant", "user", "user"]


@pytest.mark.requirement("D-scripted-order")
async def test_a_script_that_repeats_begins_again_at_its_first_list(tmp_path: Path) -> None:
    provider = scripted(tmp_path, [HEL], [LO], repeat=True)
    texts = [(await played(provider))[0] for _ in range(5)]
    assert texts == [[TextDelta(content=text)] for text in ("Hel", "lo", "Hel", "lo", "Hel")]


async def test_a_script_without_lists_answers_nothing(tmp_path: Path) -> None:
    with pytest.raises(ProviderError):
        await played(scripted(tmp_path, repeat=True))


@pytest.mark.requirement("D-scripted-reason")
@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([HEL], ["text_delta", "stop"]),
        ([], ["stop"]),
        ([HEL, CALL], ["text_delta", "tool_call_delta", "tool_use"]),
        ([{"kind": "tool_call", "id": "c", "name": "look", "arguments": "{}"}], ["tool_call", "tool_use"]),
        ([HEL, USAGE], ["text_delta", "stop", "usage"]),
        ([HEL, [LO, USAGE], {"pause_ms": 0}], ["text_delta", "text_delta", "stop", "usage"]),
        ([USAGE, HEL], ["usage", "text_delta", "stop"]),
        ([CALL, {"kind": "stop_reason", "reason": "length"}], ["tool_call_delta", "length"]),
        ([{"kind": "stop_reason", "reason": "refusal"}, USAGE], ["refusal", "usage"]),
    ],
)
async def test_a_missing_stop_reason_is_stop_or_tool_use(tmp_path: Path, items: list[Any], expected: list[str]) -> None:
    batches = await played(scripted(tmp_path, items))
    assert [
        artifact.reason if isinstance(artifact, StopReason) else artifact.kind
        for batch in batches
        for artifact in batch
    ] == expected


async def test_a_list_inside_a_list_arrives_together(tmp_path: Path) -> None:
    batches = await played(scripted(tmp_path, [[HEL, LO], [], HEL, [LO] * 65]))
    assert [len(batch) for batch in batches] == [2, 1, 64, 1, 1]
    assert batches[0] == [TextDelta(content="Hel"), TextDelta(content="lo")]


async def test_what_comes_behind_a_pause_comes(tmp_path: Path) -> None:
    assert await played(
        scripted(tmp_path, [HEL, {"pause_ms": 0.5}, LO, {"kind": "stop_reason", "reason": "stop"}])
    ) == [
        [TextDelta(content="Hel")],
        [TextDelta(content="lo")],
        [StopReason(reason="stop")],
    ]


@pytest.mark.requirement("D-scripted-items")
async def test_a_hang_lasts_until_it_is_cancelled_and_what_was_seen_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, {"calls": [[HEL, {"hang": True}], [LO]]})
    async with asyncio.timeout(5), Agent(f"scripted:{path}", store="memory:").session() as session:
        run = session.stream("Say it.")
        async with aclosing(run.text()) as pieces:
            assert await anext(pieces) == "Hel"
        await session.interrupt()
        assert (await run.result()).status == "cancelled"
        assert (await session.run("And on?")).text == "lo"
        assert [artifact for turn in session.turns for artifact in turn.artifacts if isinstance(artifact, Text)] == [
            Text(content=text) for text in ("Say it.", "Hel", "And on?", "lo")
        ]


@pytest.mark.requirement("D-scripted-items")
@pytest.mark.parametrize(
    ("code", "retryable"),
    [
        ("rate_limit", True),
        ("overloaded", True),
        ("timeout", True),
        ("connection", True),
        ("context_overflow", False),
        ("content_filter", False),
        ("authentication", False),
        ("bad_request", False),
        ("protocol", False),
    ],
)
async def test_an_error_in_the_script_is_the_error_of_its_code(tmp_path: Path, code: str, retryable: bool) -> None:
    provider = scripted(tmp_path, [HEL, {"error": code, "message": "no", "retry_after_s": 1}], repeat=True)
    raised: list[OreError] = []
    for _ in range(2):
        with pytest.raises(ProviderError) as caught:
            await played(provider)
        raised.append(caught.value)
    info = describe(raised[0])
    assert (info.code, info.message, info.retryable, info.retry_after_s, info.provider) == (
        *(code, "no", retryable, 1.0, "scripted"),
    )
    assert raised[0] is not raised[1]


@pytest.mark.requirement("D-scripted-retry")
async def test_a_script_that_says_so_is_retried_with_its_next_list(tmp_path: Path) -> None:
    provider = scripted(tmp_path, [{"error": "overloaded", "retry_after_s": 0}], [HEL], retry=True)
    notice, hel, _ = await played(provider)
    assert notice[0].for_human() == "attempt 2/3 in 0.1 s: the script says overloaded"
    assert (hel, provider.name) == ([TextDelta(content="Hel")], "scripted")


@pytest.mark.requirement("D-scripted-retry")
async def test_a_script_that_does_not_say_so_is_not_retried(tmp_path: Path) -> None:
    provider = scripted(tmp_path, [{"error": "overloaded", "retry_after_s": 0}], [HEL])
    with pytest.raises(OverloadedError):
        await played(provider)


async def test_an_error_before_anything_was_said_leaves_only_the_question(tmp_path: Path) -> None:
    path = written(tmp_path, {"calls": [[{"error": "overloaded"}], [HEL]]})
    async with asyncio.timeout(5), Agent(f"scripted:{path}", store="memory:").session() as session:
        with pytest.raises(ProviderError):
            await session.run("Hello?")
        assert [turn.role.value for turn in session.turns] == ["user"]
        assert (await session.run("Hello?")).text == "Hel"


async def test_a_call_in_a_script_runs_the_tool(tmp_path: Path) -> None:
    def look() -> str:
        return "nothing"

    path = written(tmp_path, {"calls": [[CALL], [HEL]]})
    agent = Agent(f"scripted:{path}", tools=[look])
    async with asyncio.timeout(5), agent.stream("Look.") as run:
        turns = [
            entry.event.turn async for entry in run.events("turn_complete") if isinstance(entry.event, TurnComplete)
        ]
    assert [turn.role.value for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[1].calls == [ToolCall(id="c1", name="look", arguments="{}")]


@given(artifacts(unknown=False) | deltas())
def test_every_artifact_can_be_written_as_it_is_encoded(
    tmp_path_factory: pytest.TempPathFactory, artifact: Artifact
) -> None:
    path = tmp_path_factory.getbasetemp() / "artifact.json"
    path.write_bytes(b'{"calls": [[%b, {"error": "protocol"}]]}' % encode(artifact))
    assert read_script(str(path)).calls[0][0] == (artifact,)


PLACES = [
    ([], "expected an object"),
    ({}, "calls: missing"),
    ({"call": []}, "call: unknown key"),
    ({"calls": {}}, "calls: expected a list"),
    ({"calls": [{}]}, "calls[0]: expected a list"),
    ({"calls": [[3]]}, "calls[0][0]: expected an object or a list"),
    ({"calls": [[[3]]]}, "calls[0][0][0]: expected an artifact"),
    ({"calls": [[], [HEL, [{"pause_ms": 1}]]]}, "calls[1][1][0].kind: missing"),
    ({"calls": [[HEL, LO, {**HEL, "foo": 1}]]}, "calls[0][2].foo: unknown key"),
    ({"calls": [[{"kind": "text_dleta"}]]}, "calls[0][0].kind: expected one of text, "),
    ({"calls": [[{"kind": 3}]]}, "calls[0][0].kind: expected one of text, "),
    ({"calls": [[{"content": "a"}]]}, "calls[0][0].kind: missing"),
    ({"calls": [[{"kind": "text_delta", "content": 3}]]}, "calls[0][0].content: expected str, got int"),
    ({"calls": [[{"kind": "text_delta"}]]}, "calls[0][0]: object missing required field content"),
    ({"calls": [[{"kind": "stop_reason", "reason": "end"}]]}, "calls[0][0].reason: "),
    ({"calls": [[{**CALL, "index": "0"}]]}, "calls[0][0].index: expected int, got str"),
    (
        {"calls": [[{"kind": "tool_result", "tool_call_id": "c", "content": "", "truncation": {"shown": 1}}]]},
        "calls[0][0].truncation.shown: unknown key",
    ),
    ({"calls": [[{"pause_ms": -1}]]}, "calls[0][0].pause_ms: expected a number"),
    ({"calls": [[{"pause_ms": True}]]}, "calls[0][0].pause_ms: expected a number"),
    ({"calls": [[{"pause_ms": 1, "hang": True}]]}, "calls[0][0].hang: unknown key"),
    ({"calls": [[{"hang": False}]]}, "calls[0][0].hang: expected true"),
    ({"calls": [[{"error": "oops"}]]}, "calls[0][0].error: expected one of rate_limit, "),
    ({"calls": [[{"error": "timeout", "message": 3}]]}, "calls[0][0].message: expected a string"),
    ({"calls": [[{"error": "timeout", "retry_after_s": "1"}]]}, "calls[0][0].retry_after_s: expected a number"),
    ({"calls": [[{"error": "timeout", "retry": 1}]]}, "calls[0][0].retry: unknown key"),
    ({"calls": [], "repeat": 1}, "repeat: expected true or false"),
    ({"calls": [], "retry": "yes"}, "retry: expected true or false"),
    ('{"calls": [\n  [}', "line 2, column 4"),
    ('{"calls": [[{"pause_ms": NaN}]]}', "NaN is no JSON"),
    ("[" * 100_000, "expected JSON"),
    ("", "line 1, column 1"),
]


@pytest.mark.requirement("D-scripted-places")
@pytest.mark.parametrize(("content", "place"), PLACES)
def test_a_file_that_is_no_script_is_refused_with_the_place_in_it(tmp_path: Path, content: Any, place: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        made(path)
    assert str(caught.value).startswith(f"scripted file {str(path)!r}: ")
    assert place in str(caught.value)


@pytest.mark.requirement("D-scripted-places")
def test_a_key_that_an_artifacts_own_objects_do_not_have_is_refused(tmp_path: Path) -> None:
    truncation = {"shown_bytes": 1, "shown_lines": 1, "shwon": 2}
    item = {"kind": "tool_result", "tool_call_id": "c", "content": "", "truncation": truncation}
    with pytest.raises(InputError) as caught:
        scripted(tmp_path, [item])
    assert "calls[0][0].truncation.shwon: unknown key" in str(caught.value)


def test_vendor_data_may_hold_any_key(tmp_path: Path) -> None:
    item = {"kind": "text", "content": "a", "provider_data": {"anything": {"at": ["all"]}}}
    assert read_script(str(written(tmp_path, {"calls": [[item]]}))).calls[0][0] == (
        Text(content="a", provider_data={"anything": {"at": ["all"]}}),
    )


@pytest.mark.parametrize("content", [b"\xff\xfe", b'{"calls": "\xff"}'])
def test_a_file_that_is_no_utf_8_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "script.json"
    path.write_bytes(content)
    with pytest.raises(InputError):
        made(path)


@pytest.mark.parametrize("name", ["missing.json", ".", "nul\0.json"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        made(tmp_path / name)


def test_a_name_without_a_file_is_refused() -> None:
    with pytest.raises(InputError):
        Agent("scripted:").spec()


class FileBench:
    """The file is the world; what it was asked is noted on the way."""

    model: str | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[object] = []

    async def provider(self, *answers: Answer) -> Provider:
        return Noted(scripted(self.folder, *(_items(answer) for answer in answers)), self.asked)

    async def released(self) -> None:
        """It holds nothing."""

    def requests(self) -> Sequence[object]:
        return self.asked


class Noted:
    def __init__(self, provider: Provider, asked: list[object]) -> None:
        self.inner = provider
        self.asked = asked

    @property
    def name(self) -> str:
        return self.inner.name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        self.asked.append((spec, len(state.turns)))
        async with aclosing(self.inner.invoke(state, spec, *options)) as batches:
            async for batch in batches:
                yield batch


def _items(answer: Answer) -> list[Any]:
    items: list[Any] = [{"kind": "text_delta", "content": piece} for piece in answer.text]
    if answer.call is not None:
        items.append(json.loads(encode(answer.call)))
    usage = Usage(prompt_tokens=answer.prompt_tokens, completion_tokens=answer.completion_tokens)
    ends: dict[str, list[Any]] = {
        "whole": [{"kind": "stop_reason", "reason": answer.reason}, json.loads(encode(usage))],
        "hangs": [{"hang": True}],
        "breaks": [{"error": "protocol"}],
        "overflows": [{"error": "context_overflow"}],
    }
    return items + ends[answer.end]


@pytest.mark.parametrize(("name", "check"), provider_checks(), ids=[name for name, _ in provider_checks()])
async def test_it_keeps_the_promises_of_a_provider(tmp_path: Path, name: str, check: ProviderCheck) -> None:
    bench: ProviderBench = FileBench(tmp_path)
    async with asyncio.timeout(15):
        await check(bench)
