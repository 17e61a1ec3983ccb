"""The server itself: scripts, refusals, failures, keys, journal, endings."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from mock.asking import ANTHROPIC, OPENAI, ask, ask_anthropic, deltas
from ore.artifact import Notice, TextDelta, ToolResult
from ore.errors import InputError
from ore.ext.mock import Anthropic, Failure, Hang, MockServer, OpenAI, Pause, script_of

HI = TextDelta(content="Hi")
STREAMED = {**OPENAI, "stream": True}


def failing(code: str, wait: float | None = None, *, after: tuple[TextDelta, ...] = ()) -> Any:
    return script_of([*after, Failure(code, "why", wait)], repeat=True)


# Scripts


@pytest.mark.requirement("D-mock")
async def test_each_answer_takes_the_next_list_of_a_file(tmp_path: Path) -> None:
    calls = [[{"kind": "text_delta", "content": "1"}], [{"kind": "text_delta", "content": "2"}, {"pause_ms": 1}]]
    (tmp_path / "script.json").write_text(json.dumps({"calls": calls, "repeat": True}))
    async with MockServer(str(tmp_path / "script.json")) as server:
        answers = [await ask(server, OPENAI) for _ in range(3)]
    assert [answer.body["choices"][0]["message"]["content"] for answer in answers] == ["1", "2", "1"]


@pytest.mark.requirement("D-mock")
async def test_behind_the_last_list_an_answer_is_an_error_that_says_so() -> None:
    async with MockServer(script_of([HI])) as server:
        await ask(server, OPENAI)
        answer = await ask(server, OPENAI)
    assert answer.status == 400
    assert answer.body["error"]["message"] == "the script has 1 lists and this is answer 2; add one, or set `repeat`"


@pytest.mark.requirement("D-mock")
async def test_requests_at_once_get_a_list_each() -> None:
    script = script_of(*([TextDelta(content=str(number))] for number in range(8)))
    async with MockServer(script) as server, asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(server, OPENAI)) for _ in range(8)]
        answers = [await task for task in tasks]
    assert sorted(answer.body["choices"][0]["message"]["content"] for answer in answers) == list("01234567")


@pytest.mark.requirement("D-mock")
async def test_an_empty_list_is_an_empty_answer() -> None:
    async with MockServer(script_of([], repeat=True)) as server:
        whole, streamed = await ask(server, OPENAI), await ask(server, STREAMED)
    assert whole.body["choices"][0]["message"]["content"] is None
    assert deltas(streamed) == [{"role": "assistant", "content": "", "refusal": None}, {}]


@pytest.mark.parametrize("artifact", [ToolResult(tool_call_id="c", content="x"), Notice(content="x")])
def test_what_no_model_says_is_refused_with_its_place(artifact: Any) -> None:
    with pytest.raises(InputError, match=r"calls\[1\]\[0\]: expected what a model says, got"):
        MockServer(script_of([HI], [artifact]))


def test_an_unknown_vendor_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of openai, anthropic, got 'google'"):
        MockServer(script_of([HI]), vendor="google")


# What the vendor would refuse


@pytest.mark.requirement("D-mock-strict")
async def test_a_request_that_the_vendor_would_refuse_gets_its_400_and_takes_no_list() -> None:
    async with MockServer(script_of([HI])) as server:
        refused = await ask(server, {**OPENAI, "temperature": 3})
        answer = await ask(server, OPENAI)
    message = "temperature: expected a number from 0 to 2, got 3"
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    assert (refused.status, refused.body) == (400, {"error": error})
    assert answer.status == 200
    assert [recorded.fault for recorded in server.requests] == [message, None]


@pytest.mark.requirement("D-mock-strict")
async def test_anthropic_refuses_in_its_own_words() -> None:
    async with MockServer(script_of([HI]), vendor="anthropic") as server:
        refused = await ask_anthropic(server, {**ANTHROPIC, "max_tokens": "many"})
        unversioned = await ask(server, ANTHROPIC, "/v1/messages")
    message = "max_tokens: expected a whole number, got a string of 4 characters"
    error = {"type": "invalid_request_error", "message": message}
    assert refused.status == 400
    assert refused.body == {"type": "error", "error": error, "request_id": "req_mock000001"}
    assert unversioned.body["error"]["message"] == "anthropic-version: header is required"


@pytest.mark.requirement("D-mock-strict")
@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[1]"])
async def test_a_body_that_is_no_json_object_is_refused(body: bytes) -> None:
    async with MockServer(script_of([HI])) as server:
        answer = await ask(server, body)
    assert answer.status == 400
    assert answer.body["error"]["message"].startswith("body: expected ")


async def test_fields_of_a_gateway_are_taken_where_the_vendor_is_made_with_them() -> None:
    async with MockServer(script_of([HI]), vendor=OpenAI(extra_fields=("reasoning",))) as server:
        assert (await ask(server, {**OPENAI, "reasoning": {"include": True}})).status == 200
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "S"}
    begun = {**ANTHROPIC, "messages": [*ANTHROPIC["messages"], {"role": "assistant", "content": [thought]}]}  # type: ignore[misc]
    async with MockServer(script_of([HI]), vendor=Anthropic(issued={"S": "Hm."})) as server:
        assert (await ask_anthropic(server, begun)).status == 200


@pytest.mark.requirement("D-mock-strict")
async def test_a_request_of_more_bytes_than_the_vendor_takes_is_refused_unread() -> None:
    async with MockServer(script_of([HI])) as server:
        answer = await ask(server, b" " * ((32 << 20) + 1))
    assert (answer.status, answer.body["error"]["type"]) == (413, "invalid_request_error")
    assert [(recorded.status, recorded.ending) for recorded in server.requests] == [(413, "answered")]


@pytest.mark.requirement("D-mock")
async def test_other_paths_and_methods_are_errors_of_the_vendor() -> None:
    async with MockServer(script_of([HI])) as server:
        unknown, wrong = await ask(server, OPENAI, "/v1/messages"), await ask(server, b"", method="GET")
    assert (unknown.status, unknown.body["error"]["code"]) == (404, "unknown_url")
    assert (wrong.status, wrong.body["error"]["message"]) == (405, "expected POST, got GET")


# Failures


@pytest.mark.requirement("D-mock-failures")
@pytest.mark.parametrize(
    ("code", "status", "kind", "said"),
    [
        ("authentication", 401, "invalid_request_error", "invalid_api_key"),
        ("bad_request", 400, "invalid_request_error", None),
        ("content_filter", 400, "invalid_request_error", "content_filter"),
        ("context_overflow", 400, "invalid_request_error", "context_length_exceeded"),
        ("overloaded", 503, "service_unavailable_error", "server_is_overloaded"),
        ("rate_limit", 429, "requests", "rate_limit_exceeded"),
        ("timeout", 504, "server_error", "timeout"),
    ],
)
@pytest.mark.parametrize("body", [OPENAI, STREAMED], ids=["whole", "streamed"])
async def test_openai_fails_with_its_status_and_code(
    code: str, status: int, kind: str, said: str | None, body: Any
) -> None:
    async with MockServer(failing(code)) as server:
        answer = await ask(server, body)
    error = {"message": "why", "type": kind, "param": None, "code": said}
    assert (answer.status, answer.body) == (status, {"error": error})


@pytest.mark.requirement("D-mock-failures")
@pytest.mark.parametrize(
    ("code", "status", "kind", "message"),
    [
        ("authentication", 401, "authentication_error", "why"),
        ("bad_request", 400, "invalid_request_error", "why"),
        ("content_filter", 400, "invalid_request_error", "Output blocked by content filtering policy: why"),
        ("context_overflow", 400, "invalid_request_error", "prompt is too long: why"),
        ("overloaded", 529, "overloaded_error", "why"),
        ("rate_limit", 429, "rate_limit_error", "why"),
        ("timeout", 504, "timeout_error", "why"),
    ],
)
async def test_anthropic_fails_with_its_status_and_type(code: str, status: int, kind: str, message: str) -> None:
    async with MockServer(failing(code), vendor="anthropic") as server:
        answer = await ask_anthropic(server, ANTHROPIC)
    assert (answer.status, answer.body["error"]) == (status, {"type": kind, "message": message})


@pytest.mark.requirement("D-mock-failures")
async def test_a_failure_says_how_long_to_wait() -> None:
    async with MockServer(failing("rate_limit", 1.5)) as server:
        answer = await ask(server, OPENAI)
    assert answer.headers["Retry-After"] == "1.5"


@pytest.mark.requirement("D-mock-failures")
async def test_a_failure_inside_a_stream_is_its_last_event() -> None:
    async with MockServer(failing("overloaded", after=(HI,))) as server:
        answer = await ask(server, STREAMED)
    async with MockServer(failing("overloaded", after=(HI,)), vendor="anthropic") as server:
        named = await ask_anthropic(server, {**ANTHROPIC, "stream": True})
    error = {"message": "why", "type": "service_unavailable_error", "param": None, "code": "server_is_overloaded"}
    assert (answer.status, answer.events[-1]) == (200, ("", {"error": error}))
    assert named.events[-1] == (
        "error",
        {"type": "error", "error": {"type": "overloaded_error", "message": "why"}},
    )


@pytest.mark.requirement("D-mock-failures")
async def test_a_failure_inside_an_answer_that_is_not_streamed_is_its_status() -> None:
    async with MockServer(failing("overloaded", after=(HI,))) as server:
        assert (await ask(server, OPENAI)).status == 503


@pytest.mark.requirement("D-mock-failures")
async def test_a_cut_stream_ends_without_its_marks() -> None:
    async with MockServer(failing("protocol", after=(HI,))) as server:
        streamed, whole = await ask(server, STREAMED), await ask(server, OPENAI)
    assert [delta.get("content") for delta in deltas(streamed)] == ["", "Hi"]
    assert b'finish_reason":"' not in streamed.content and b"[DONE]" not in streamed.content
    with pytest.raises(json.JSONDecodeError):
        json.loads(whole.content)


@pytest.mark.requirement("D-mock-failures")
async def test_a_stream_that_is_cut_at_once_is_empty() -> None:
    async with MockServer(failing("protocol")) as server:
        answer = await ask(server, STREAMED)
    assert (answer.status, answer.content) == (200, b"")


@pytest.mark.requirement("D-mock-failures")
@pytest.mark.parametrize("body", [OPENAI, STREAMED], ids=["whole", "streamed"])
async def test_a_dropped_connection_breaks_before_the_answer(body: Any) -> None:
    async with MockServer(failing("connection")) as server:
        with pytest.raises(aiohttp.ClientConnectionError):
            await ask(server, body)
        assert [(recorded.status, recorded.ending) for recorded in server.requests] == [(None, "dropped")]


@pytest.mark.requirement("D-mock-failures")
async def test_a_dropped_connection_breaks_inside_the_answer() -> None:
    async with MockServer(failing("connection", after=(HI,))) as server:
        with pytest.raises((aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)):
            await ask(server, STREAMED)
        assert [(recorded.status, recorded.ending) for recorded in server.requests] == [(200, "dropped")]


@pytest.mark.requirement("D-mock-failures")
async def test_an_answer_that_hangs_ends_with_its_client() -> None:
    async with asyncio.timeout(5), MockServer(script_of([HI, Hang()])) as server, aiohttp.ClientSession() as session:
        async with session.post(f"{server.url}/v1/chat/completions", json=STREAMED) as response:
            assert b'"content":"Hi"' in b"".join([await response.content.readline() for _ in range(3)])
            response.close()
        await server.idle()
        assert (server.requests[0].status, server.requests[0].ending) == (200, "left")


@pytest.mark.requirement("D-mock-failures")
async def test_an_empty_list_of_artifacts_sends_the_head_of_a_stream_alone() -> None:
    async with (
        asyncio.timeout(5),
        MockServer(script_of([(), Hang()])) as server,
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/v1/chat/completions", json=STREAMED) as response,
    ):
        assert response.status == 200
        response.close()


@pytest.mark.requirement("D-mock-failures")
async def test_closing_the_server_cuts_what_runs() -> None:
    server = MockServer(script_of([HI, Pause(60)]))
    async with asyncio.timeout(5), aiohttp.ClientSession() as session:
        await server.start()
        async with session.post(f"{server.url}/v1/chat/completions", json=STREAMED) as response:
            await response.content.readline()
            await server.aclose()
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()
    assert server.requests[0].ending == "left"
    with pytest.raises(RuntimeError, match="does not listen"):
        server.url  # noqa: B018


# Keys and the journal


@pytest.mark.requirement("D-mock-journal")
@pytest.mark.parametrize("given", ["Bearer wrong", "", "right"])
async def test_only_the_key_is_taken_where_there_is_one(given: str) -> None:
    async with MockServer(script_of([HI]), api_key="right") as server:
        refused = await ask(server, OPENAI, authorization=given)
        taken = await ask(server, OPENAI, authorization="Bearer right")
    assert (refused.status, refused.body["error"]["code"], taken.status) == (401, "invalid_api_key", 200)


@pytest.mark.requirement("D-mock-journal")
@pytest.mark.parametrize("given", [{"x_api_key": "right"}, {"authorization": "Bearer right"}])
async def test_anthropics_key_may_stand_in_a_header_of_its_own(given: dict[str, str]) -> None:
    async with MockServer(script_of([HI]), vendor="anthropic", api_key="right") as server:
        refused = await ask_anthropic(server, ANTHROPIC, x_api_key="wrong")
        taken = await ask_anthropic(server, ANTHROPIC, **given)
    assert (refused.status, refused.body["error"]["type"], taken.status) == (401, "authentication_error", 200)


@pytest.mark.requirement("D-mock-journal")
async def test_the_journal_has_every_request_without_its_keys() -> None:
    secret = "sk-canary"
    async with MockServer(script_of([HI])) as server:
        await ask(
            server, OPENAI, f"/v1/chat/completions?key={secret}", authorization=f"Bearer {secret}", x_api_key=secret
        )
        await ask(server, b"{", cookie=secret)
        shown = await ask(server, b"", "/journal", method="GET")
    first, second = shown.body["requests"]
    assert (first["method"], first["path"], first["body"]) == ("POST", "/v1/chat/completions", OPENAI)
    assert (first["status"], first["fault"], first["ending"]) == (200, None, "answered")
    assert (first["headers"]["authorization"], first["headers"]["x-api-key"]) == ("***", "***")
    assert (second["status"], second["body"], second["headers"]["cookie"]) == (400, None, "***")
    assert second["fault"].startswith("body: expected JSON")
    assert secret.encode() not in shown.content
    assert secret not in repr(server.requests)


@pytest.mark.requirement("D-mock-journal")
@pytest.mark.parametrize(
    "headers", [{"host": "evil.example:80"}, {"origin": "https://evil.example"}, {"origin": "null"}]
)
async def test_a_page_elsewhere_gets_nothing(headers: dict[str, str]) -> None:
    async with MockServer(script_of([HI])) as server:
        shown, answer = (
            await ask(server, b"", "/journal", method="GET", **headers),
            await ask(server, OPENAI, **headers),
        )
    assert (shown.status, answer.status, server.requests) == (403, 403, [])


@pytest.mark.requirement("D-mock")
async def test_a_port_that_is_taken_is_an_error_with_its_number() -> None:
    async with MockServer(script_of([HI])) as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 cannot be listened on"):
            await MockServer(script_of([HI]), port=port).start()
