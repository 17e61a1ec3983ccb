"""`ore wire decode` says what a recorded answer holds, and what went wrong in it."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.command import ore
from cli.conftest import Ore
from ore.cli.decoding import PROTOCOLS
from ore.errors import ConnectionFailedError
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.capture import Capturing
from ore.ext.providers.transport import Limits
from providers.loopback import Exchange, serving
from wires.corpus import Transcript, recordings


def chunk(delta: Mapping[str, Any], reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"


def event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


def fragment(**call: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, **call}]}


USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
CHAT = "".join([
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Let me "}),
    chunk({"content": "see, 北."}),
    chunk(fragment(id="c1", function={"name": "weather", "arguments": '{"city"'})),
    chunk(fragment(function={"arguments": ': "Lisbon"}'})),
    chunk({}, "tool_calls"),
    f"data: {json.dumps({'choices': [], 'usage': USAGE})}\n\n",
    "data: [DONE]\n\n",
])  # fmt: skip
MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 9}}
ANTHROPIC = "".join([
    event("message_start", message=MESSAGE),
    event("content_block_start", index=0, content_block={"type": "thinking", "thinking": "", "signature": ""}),
    event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "Hm."}),
    event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "S1"}),
    event("content_block_stop", index=0),
    event("content_block_start", index=1, content_block={"type": "text", "text": ""}),
    event("content_block_delta", index=1, delta={"type": "text_delta", "text": "Hi"}),
    event("content_block_stop", index=1),
    event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 3}),
    event("message_stop"),
])  # fmt: skip

TEXT = {"kind": "text", "content": "Let me see, 北.", "provider_data": None}
CALL = {
    "kind": "tool_call",
    "id": "c1",
    "name": "weather",
    "arguments": '{"city": "Lisbon"}',
    "display": None,
    "provider_data": None,
}
REASON = {"kind": "stop_reason", "reason": "tool_use"}


@pytest.mark.requirement("D-wire-decode")
def test_the_complete_artifacts_of_a_chat_completion_stand_in_one_object(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(CHAT)
    done = run("wire", "decode", "--protocol", "openai-chat", "a.sse")
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    shown = json.loads(done.out)
    assert list(shown) == ["artifacts", "error"]
    *content, usage = shown["artifacts"]
    assert content == [TEXT, CALL, REASON]
    assert {name: usage[name] for name in ("kind", *USAGE)} == {"kind": "usage", **USAGE}
    assert shown["error"] is None


@pytest.mark.requirement("D-wire-decode")
def test_a_signature_is_in_the_data_of_the_thinking_that_it_signs(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(ANTHROPIC)
    thought, text, reason, _ = json.loads(run("wire", "decode", "--protocol", "anthropic", "a.sse").out)["artifacts"]
    assert (thought["content"], thought["provider_data"]["signature"]) == ("Hm.", "S1")
    assert (text["content"], reason) == ("Hi", {"kind": "stop_reason", "reason": "stop"})


@pytest.mark.requirement("D-wire-decode")
@pytest.mark.parametrize("words", [(), ("-",)])
def test_the_answer_may_come_by_standard_input(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = ore("wire", "decode", "--protocol", "openai-chat", *words, folder=tmp_path, stdin=CHAT)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["artifacts"][:3] == [TEXT, CALL, REASON]


@pytest.mark.requirement("D-wire-decode")
def test_deltas_are_the_stream_as_it_came_one_object_a_line(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(CHAT)
    done = run("wire", "decode", "--protocol", "openai-chat", "--deltas", "a.sse")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [(line["kind"], line.get("content") or line.get("arguments")) for line in lines] == [
        ("text_delta", "Let me "),
        ("text_delta", "see, 北."),
        ("tool_call_delta", '{"city"'),
        ("tool_call_delta", ': "Lisbon"}'),
        ("stop_reason", None),
        ("usage", None),
    ]


@pytest.mark.requirement("D-wire-decode")
def test_an_answer_that_was_cut_has_what_came_and_an_error_and_status_0(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(CHAT[: CHAT.index('"finish_reason": "tool_calls"')])
    done = run("wire", "decode", "--protocol", "openai-chat", "a.sse")
    shown = json.loads(done.out)
    assert (done.status, done.err) == (0, "")
    assert shown["artifacts"] == [TEXT, CALL]
    assert (shown["error"]["code"], shown["error"]["retryable"]) == ("protocol", False)


@pytest.mark.requirement("D-wire-decode")
def test_an_error_inside_the_answer_is_named_in_the_object_and_on_the_last_line(run: Ore, folder: Path) -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    (folder / "a.sse").write_text(ANTHROPIC[: ANTHROPIC.index("event: message_delta")] + event("error", error=error))
    whole = run("wire", "decode", "--protocol", "anthropic", "a.sse")
    lines = run("wire", "decode", "--protocol", "anthropic", "--deltas", "a.sse")
    found = json.loads(whole.out)["error"]
    assert (whole.status, lines.status) == (0, 0)
    assert (found["code"], found["retryable"], found["provider"]) == ("overloaded", True, "anthropic")
    assert json.loads(lines.out.splitlines()[-1]) == {"kind": "error", **found}
    assert "stop_reason" not in [artifact["kind"] for artifact in json.loads(whole.out)["artifacts"]]


@pytest.mark.requirement("D-wire-decode")
def test_of_an_answer_that_began_again_only_the_last_one_counts(run: Ore, folder: Path) -> None:
    begun = ANTHROPIC[: ANTHROPIC.index("event: message_delta")]
    (folder / "a.sse").write_text(begun + ANTHROPIC.replace('"Hi"', '"Ho"'))
    shown = json.loads(run("wire", "decode", "--protocol", "anthropic", "a.sse").out)
    assert [artifact.get("content") for artifact in shown["artifacts"]] == ["Hm.", "Ho", None, None]
    assert shown["error"] is None


@pytest.mark.requirement("D-wire-decode")
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"<html></html>", b"data: {\n\n", b"\n\n\n"])
def test_what_is_no_answer_is_an_error_of_the_protocol(run: Ore, folder: Path, protocol: str, body: bytes) -> None:
    (folder / "a.sse").write_bytes(body)
    done = run("wire", "decode", "--protocol", protocol, "a.sse")
    shown = json.loads(done.out)
    assert (done.status, done.err, shown["artifacts"], shown["error"]["code"]) == (0, "", [], "protocol")


RESPONSES = f"data: {json.dumps({'type': 'response.created', 'response': {'id': 'r'}})}\n\n"
GEMINI = f"data: {json.dumps({'candidates': [{'content': {'parts': [{'text': 'a'}]}}]})}\n\n"
BODIES = {"openai-chat": CHAT, "anthropic": ANTHROPIC, "openai-responses": RESPONSES, "gemini": GEMINI}


@pytest.mark.requirement("D-wire-decode")
@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("spoken", BODIES)
def test_an_answer_of_another_protocol_says_of_which(run: Ore, folder: Path, protocol: str, spoken: str) -> None:
    (folder / "a.sse").write_text(BODIES[spoken])
    done = run("wire", "decode", "--protocol", protocol, "a.sse")
    found = json.loads(done.out)["error"]
    assert done.status == 0
    assert (found is None) == (spoken == protocol and spoken != "gemini")
    if spoken != protocol:
        assert found["message"].endswith(f"; it looks like --protocol {spoken}")


@pytest.mark.requirement("D-wire-decode")
def test_the_head_of_an_answer_is_said_not_to_belong_to_it(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{CHAT}")
    for protocol in ("openai-chat", "anthropic"):
        shown = json.loads(run("wire", "decode", "--protocol", protocol, "a.sse").out)
        assert shown["error"] is None or "the head of an HTTP answer" in shown["error"]["message"]


@pytest.mark.requirement("D-wire-decode")
def test_what_gzip_packed_is_unpacked(run: Ore, folder: Path) -> None:
    (folder / "a.sse").write_text(CHAT)
    (folder / "a.sse.gz").write_bytes(gzip.compress(CHAT.encode()))
    bare, packed = (run("wire", "decode", "--protocol", "openai-chat", name) for name in ("a.sse", "a.sse.gz"))
    assert (packed.status, packed.out) == (0, bare.out)


@pytest.mark.requirement("D-wire-decode", "D-cli-status")
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (gzip.compress(CHAT.encode())[:-20], "expected a whole gzip file, got one that is cut or broken"),
        (b"\x1f\x8bno", "expected a whole gzip file"),
        (b"\x28\xb5\x2f\xfd....", "got a file packed by zstd; unpack it first"),
        (b"BZh9....", "packed by bzip2"),
    ],
)
def test_what_cannot_be_unpacked_is_wrong_use(run: Ore, folder: Path, body: bytes, said: str) -> None:
    (folder / "a").write_bytes(body)
    done = run("wire", "decode", "--protocol", "openai-chat", "a")
    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.requirement("D-wire-decode", "D-cli-status")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected a command"),
        (("decode",), "the following arguments are required: --protocol"),
        (("decode", "--protocol", "smoke", "a.sse"), "--protocol: expected one of openai-chat, "),
        (("decode", "--protocol", "openai-chat", "none.sse"), "'none.sse' cannot be read: No such file or directory"),
        (("decode", "--protocol", "openai-chat", "."), "'.' cannot be read: Is a directory"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_was_expected(
    run: Ore, folder: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("wire", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err or (not words and done.err.startswith("usage: ore wire"))


async def captured_at(url: str, folder: Path) -> None:
    """What `--capture` writes of one request."""
    transport = Capturing(AiohttpTransport(), str(folder / "wire.json"))
    async with asyncio.timeout(5):
        reply = await transport.post(url, b"{}", {}, Limits())
        async for _ in reply:
            pass
        reply.close()


@pytest.mark.requirement("D-wire-decode", "D-capture")
@pytest.mark.parametrize("spaced", [False, True])
async def test_a_capture_is_decoded_as_the_body_in_it(run: Ore, folder: Path, spaced: bool) -> None:
    async def answer(exchange: Exchange) -> None:
        exchange.whole(CHAT.encode())

    async with serving(answer) as server:
        await captured_at(server.url, folder)
    if spaced:
        (folder / "wire.json").write_text(json.dumps(json.loads((folder / "wire.json").read_text()), indent=2))
    (folder / "a.sse").write_text(CHAT)
    bare, inside = (run("wire", "decode", "--protocol", "openai-chat", name) for name in ("a.sse", "wire.json"))
    assert (inside.status, inside.out) == (0, bare.out)


@pytest.mark.requirement("D-wire-decode", "D-capture")
async def test_a_captured_refusal_is_the_error_that_it_was(run: Ore, folder: Path) -> None:
    async def answer(exchange: Exchange) -> None:
        exchange.whole(b'{"error": {"code": "context_length_exceeded"}}', status=400)

    async with serving(answer) as server:
        await captured_at(server.url, folder)
    shown = json.loads(run("wire", "decode", "--protocol", "openai-responses", "wire.json").out)
    assert (shown["artifacts"], shown["error"]["code"]) == ([], "context_overflow")


@pytest.mark.requirement("D-wire-decode", "D-capture")
async def test_a_capture_without_an_answer_says_why_there_is_none(run: Ore, folder: Path) -> None:
    with pytest.raises(ConnectionFailedError):
        await captured_at("http://127.0.0.1:1", folder)
    shown = json.loads(run("wire", "decode", "--protocol", "gemini", "wire.json").out)
    assert (shown["artifacts"], shown["error"]["code"]) == ([], "connection")
    assert "no answer was captured: no connection to http://127.0.0.1:1" in shown["error"]["message"]


@pytest.mark.requirement("D-wire-decode")
@pytest.mark.parametrize("raw", [b'{"ore_capture"', b'{"ore_capture": 1, "response": 7}', b'{"ore_capture": {}}'])
def test_what_only_begins_like_a_capture_is_no_answer(run: Ore, folder: Path, raw: bytes) -> None:
    (folder / "a.json").write_bytes(raw)
    done = run("wire", "decode", "--protocol", "openai-chat", "a.json")
    assert (done.status, json.loads(done.out)["error"]["code"]) == (0, "protocol")


KINDS = {
    **{"text": "text", "refusal": "text", "reasoning": "reasoning", "redacted_reasoning": "reasoning"},
    **{"tool_call": "tool_call", "custom_tool_call": "tool_call"},
    **{"server_tool_call": "server_tool", "opaque": "server_tool"},
}


def confirm(transcript: Transcript, shown: Mapping[str, Any]) -> None:
    """What the command shows is what the corpus says that the recording holds."""
    content = [artifact for artifact in shown["artifacts"] if artifact["kind"] not in ("stop_reason", "usage")]
    assert [artifact["kind"] for artifact in content] == [KINDS[part["kind"]] for part in transcript.parts]
    for artifact, part in zip(content, transcript.parts, strict=True):
        confirm_part(artifact, part)
    reasons = [artifact["reason"] for artifact in shown["artifacts"] if artifact["kind"] == "stop_reason"]
    broken, error = failure_of(transcript), shown["error"]
    assert (len(reasons), error is None) == ((1, True) if broken is None else (len(reasons), False))
    assert broken is None or (error["code"] == "protocol") is (broken == "cut")


def confirm_part(artifact: Mapping[str, Any], part: Mapping[str, Any]) -> None:
    if part["kind"] in ("text", "refusal", "reasoning"):
        assert artifact["content"] == part["text"]
    if part.get("signature"):
        assert artifact["provider_data"]["signature"] == part["signature"]
    if part["kind"] == "custom_tool_call":
        assert (artifact["id"], artifact["name"], artifact["arguments"]) == (part["id"], part["name"], part["input"])
    elif part["kind"] == "tool_call":
        assert (artifact["id"], artifact["name"]) == (part["id"] or artifact["id"], part["name"])
        if "arguments_text" in part:
            assert artifact["arguments"] == part["arguments_text"]
        else:
            assert json.loads(artifact["arguments"]) == part["arguments"]


def failure_of(transcript: Transcript) -> str | None:
    """What went wrong in a recording: the vendor said so, or it was cut."""
    expected = transcript.expected
    if expected.get("error") is not None or (expected.get("prompt_feedback") or {}).get("blockReason"):
        return "said"
    choices = expected.get("choices") or [expected]
    ended = (choices[0].get("finish_reason"), *(expected.get(mark) for mark in ("status", "done_marker", "terminated")))
    return None if any(ended) else "cut"


@pytest.mark.requirement("D-wire-decode")
@pytest.mark.parametrize("transcript", [one for protocol in PROTOCOLS for one in recordings(protocol)])
def test_every_recording_of_the_corpus_is_shown_as_it_is(run: Ore, folder: Path, transcript: Transcript) -> None:
    (folder / "a.sse").write_bytes(transcript.body)
    done = run("wire", "decode", "--protocol", transcript.protocol, "a.sse")
    assert (done.status, done.err) == (0, "")
    confirm(transcript, json.loads(done.out))
