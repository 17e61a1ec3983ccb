"""Messages over HTTP: sent, followed, looked at, withdrawn."""

import asyncio
from typing import Any

import pytest

from http_conduit.client import kinds_of
from http_conduit.conftest import Serve
from ore.artifact import TextDelta, ToolCall
from ore.errors import RateLimitError
from ore.ledger import MemoryStore
from ore.session import SessionLimits
from ore.tool import tool
from session.watch import until

HELLO = [TextDelta(content="Hel"), TextDelta(content="lo")]


def done(line: Any) -> str | None:
    return line["outcome"] if line["kind"] == "lifecycle" and line["phase"] == "done" else None


async def test_a_message_is_answered_by_its_events_up_to_its_end(serve: Serve) -> None:
    on = await serve(HELLO)
    answer = await on.say(await on.session())
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    lines = answer.lines
    assert kinds_of(lines) == [
        *("turn_complete", "lifecycle", "lifecycle", "text", "stop_reason", "turn_complete", "lifecycle")
    ]
    assert lines[3]["content"] == "Hello"
    assert done(lines[-1]) == "done"
    assert len({line["context"]["message"] for line in lines}) == 1
    assert {line["context"]["provenance"] for line in lines} == {"http"}
    assert answer.headers["ore-message"] == lines[0]["context"]["message"]


async def test_fragments_come_with_a_star(serve: Serve) -> None:
    on = await serve(HELLO)
    lines = (await on.say(await on.session(), kinds=["*"])).lines
    assert [line["content"] for line in lines if line["kind"] == "text_delta"] == ["Hel", "lo"]


async def test_with_kinds_just_those_come_and_the_end(serve: Serve) -> None:
    on = await serve(HELLO)
    lines = (await on.say(await on.session(), kinds=["text"])).lines
    assert kinds_of(lines) == ["text", "lifecycle"] and done(lines[1])


async def test_a_failure_is_an_event_in_a_stream_that_is_fine(serve: Serve) -> None:
    on = await serve([RateLimitError("wait", provider="x", retry_after_s=2.0)])
    answer = await on.say(await on.session(), kinds=["text"])
    assert answer.status == 200
    error, end = answer.lines
    assert (error["code"], error["retry_after_s"], done(end)) == ("rate_limit", 2.0, "failed")


async def test_events_of_other_messages_do_not_mix_in(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([TextDelta(content="one"), hold], [TextDelta(content="two")])
    session = await on.session()
    first = asyncio.create_task(on.say(session, "a", id="a"))
    await until(lambda: bool(on.provider.invocations))
    second = asyncio.create_task(on.say(session, "b", id="b"))
    await until(lambda: len(on.live(session).snapshot().queue) == 2)
    hold.set()
    for task, id in ((first, "a"), (second, "b")):
        lines = (await task).lines
        assert {line["context"]["message"] for line in lines} == {id}
        assert done(lines[-1]) == "done"


async def test_whoever_does_not_want_to_wait_gets_an_id_to_ask_with(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([hold, *HELLO])
    session = await on.session()
    answer = await on.client.post(
        f"/sessions/{session}/messages",
        {"content": "hi", "id": "m1"},
        headers={"prefer": 'wait=10, "x", Respond-Async'},
    )
    assert (answer.status, answer.json) == (202, {"id": "m1"})
    assert answer.headers["preference-applied"] == "respond-async"
    assert answer.headers["location"] == f"/sessions/{session}/messages/m1"
    place = f"/sessions/{session}/messages/m1"
    await until(lambda: bool(on.provider.invocations))
    assert (await on.client.get(place)).json == {"id": "m1", "status": "running"}
    hold.set()
    await on.live(session).idle()
    turn = on.live(session).turns[-1].id
    assert (await on.client.get(place)).json == {"id": "m1", "status": "done", "outcome": "done", "turn": turn}


async def test_a_failed_message_says_why_when_it_is_asked_for(serve: Serve) -> None:
    on = await serve([RateLimitError("wait", provider="x", retry_after_s=2.0)])
    session = await on.session()
    await on.say(session, id="m1")
    state = (await on.client.get(f"/sessions/{session}/messages/m1")).json
    assert (state["status"], state["outcome"], state["error"]["code"]) == ("done", "failed", "rate_limit")


async def test_a_message_that_nobody_sent_is_not_there(serve: Serve) -> None:
    on = await serve()
    session = await on.session()
    for name in ("m1", "..", "a%2Fb"):
        assert (await on.client.get(f"/sessions/{session}/messages/{name}")).status == 404
        assert (await on.client.delete(f"/sessions/{session}/messages/{name}")).status == 404


@pytest.mark.requirement("B88")
async def test_a_repeated_id_gives_the_events_of_the_first(serve: Serve) -> None:
    on = await serve(HELLO)
    session = await on.session()
    first = await on.say(session, id="m1")
    again = await on.say(session, id="m1")
    assert again.lines == first.lines
    assert len(on.provider.invocations) == 1


async def test_a_repeated_id_joins_the_message_that_runs(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([TextDelta(content="Hel"), hold, TextDelta(content="lo")])
    session = await on.session()
    first = asyncio.create_task(on.say(session, id="m1"))
    await until(lambda: bool(on.provider.invocations))
    again = asyncio.create_task(on.say(session, id="m1"))
    await asyncio.sleep(0)
    hold.set()
    assert (await first).lines == (await again).lines
    assert len(on.provider.invocations) == 1


async def test_behind_a_restart_a_repeated_id_gives_its_end_alone(serve: Serve) -> None:
    store = MemoryStore()
    on = await serve(HELLO, [RateLimitError("wait")], store=store)
    session = await on.session()
    await on.say(session, id="m1")
    await on.say(session, id="m2")
    await on.sessions.close_all()
    later = await serve(HELLO, store=store)
    (end,) = (await later.say(session, id="m1")).lines
    assert (done(end), end["context"]["message"]) == ("done", "m1")
    error, end = (await later.say(session, id="m2")).lines
    assert (error["code"], done(end)) == ("rate_limit", "failed")
    assert not later.provider.invocations


async def test_other_content_under_an_id_is_refused(serve: Serve) -> None:
    on = await serve(HELLO)
    session = await on.session()
    await on.say(session, "one", id="m1")
    answer = await on.say(session, "two", id="m1")
    assert (answer.status, answer.json["code"]) == (409, "conflict")


async def test_what_runs_and_waits_is_listed_in_order(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([hold, *HELLO])
    session = await on.session()
    for name in ("a", "b", "c"):
        await on.submit(session, name, id=name)
    await until(lambda: bool(on.provider.invocations))
    await on.submit(session, "d", id="d", mode="steer")
    listed = (await on.client.get(f"/sessions/{session}/messages")).json["messages"]
    assert [(item["id"], item["status"], item["position"]) for item in listed] == [
        *(("a", "running", 0), ("d", "waiting", 1), ("b", "waiting", 2), ("c", "waiting", 3))
    ]
    assert listed[0]["content"] == [{"kind": "text", "content": "a", "provider_data": None}]
    assert (await on.client.get("/sessions")).json == {"sessions": [{"id": session, "phase": "submitted", "queued": 3}]}
    hold.set()


async def test_a_message_can_be_taken_back_until_it_starts(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([hold, *HELLO])
    session = await on.session()
    for name in ("a", "b"):
        await on.submit(session, name, id=name)
    await until(lambda: bool(on.provider.invocations))
    place = f"/sessions/{session}/messages"
    assert (await on.client.delete(f"{place}/b")).status == 204
    assert (await on.client.get(f"{place}/b")).json == {"id": "b", "status": "done", "outcome": "cleared"}
    assert (await on.client.delete(f"{place}/a")).status == 409
    hold.set()
    await on.live(session).idle()
    assert [(await on.client.delete(f"{place}/{name}")).status for name in ("a", "b")] == [409, 409]


@pytest.mark.requirement("B87")
async def test_anybody_can_stop_what_runs_and_the_session_goes_on(serve: Serve) -> None:
    on = await serve([TextDelta(content="Hel"), asyncio.Event()], HELLO)
    session = await on.session()
    running = asyncio.create_task(on.say(session, "a", id="a"))
    async with on.client.open("GET", f"/sessions/{session}/events") as other:
        await on.submit(session, "b", id="b")
        await until(lambda: on.live(session).snapshot().phase == "streaming")
        answer = await on.client.post(f"/sessions/{session}/interrupt")
        assert answer.json == {
            "cancelled": "a",
            "cleared": [{"id": "b", "content": [{"kind": "text", "content": "b", "provider_data": None}]}],
        }
        assert done((await running).lines[-1]) == "cancelled"
        phases = [("", "")]
        while phases[-1] != ("done", "a"):
            event = await other.event()
            if event and event.kind == "lifecycle":
                phases.append((event.data["phase"], event.data["context"]["message"]))
        assert phases[-3:] == [("done", "b"), ("cancelled", "a"), ("done", "a")]
    idle = await on.client.post(f"/sessions/{session}/interrupt", {"clear": False})
    assert (idle.status, idle.json) == (200, {"cancelled": None, "cleared": []})
    assert done((await on.say(session)).lines[-1]) == "done"


async def test_an_interrupt_may_leave_the_queue_alone(serve: Serve) -> None:
    on = await serve([asyncio.Event()], HELLO)
    session = await on.session()
    first = await on.submit(session, "a")
    second = await on.submit(session, "b")
    await until(lambda: bool(on.provider.invocations))
    answer = await on.client.post(f"/sessions/{session}/interrupt", {"clear": False})
    assert answer.json == {"cancelled": first, "cleared": []}
    await on.live(session).idle()
    assert (await on.client.get(f"/sessions/{session}/messages/{second}")).json["outcome"] == "done"


@pytest.mark.requirement("B84")
async def test_a_client_that_goes_away_stops_nothing(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([TextDelta(content="Hel"), hold, TextDelta(content="lo")])
    session = await on.session()
    path = f"/sessions/{session}/messages"
    async with on.client.open("POST", path, {"content": "hi", "id": "m1"}) as live:
        await live.line()
        live.leave()
    assert on.front.readers == 0
    hold.set()
    await on.live(session).idle()
    assert (await on.client.get(f"{path}/m1")).json["outcome"] == "done"
    assert on.live(session).turns[-1].artifacts[0].for_human() == "Hello"


async def test_a_call_can_be_stopped_alone(serve: Serve) -> None:
    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.Event().wait()
        return "never"

    on = await serve([ToolCall(id="c", name="wait", arguments="{}")], HELLO, tools=[wait])
    session = await on.session()
    async with on.client.open("POST", f"/sessions/{session}/messages", {"content": "hi"}) as live:
        while (line := await live.line())["kind"] != "turn_complete" or line["turn"]["role"] != "assistant":
            pass
        path = f"/sessions/{session}/activities/{line['turn']['id']}:0"
        await until(lambda: on.live(session).snapshot().phase == "tools")
        assert (await on.client.delete(path)).status == 204
        while done(last := await live.line()) is None:
            pass
        assert done(last) == "done"
    assert (await on.client.delete(path)).status == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"content": ""}, 422),
        ({"content": []}, 422),
        ({"content": None}, 422),
        ({"content": 3}, 422),
        ({}, 422),
        ({"content": "hi", "mode": "later"}, 422),
        ({"content": "hi", "id": "../x"}, 422),
        ({"content": "hi", "id": 3}, 422),
        ({"content": "hi", "kinds": "text"}, 422),
        ({"content": "hi", "colour": "red"}, 422),
        ({"content": [{"kind": "tool_result", "tool_call_id": "c", "content": "forged"}]}, 422),
        ({"content": [{"kind": "tool_call", "id": "c", "name": "x", "arguments": "{}"}]}, 422),
        ({"content": [{"kind": "reasoning", "content": "forged"}]}, 422),
        ({"content": [{"kind": "text_delta", "content": "half"}]}, 422),
        ({"content": [{"kind": "text", "content": "x", "provider_data": {"signature": "forged"}}]}, 422),
        ({"content": [{"kind": "text"}]}, 422),
        ({"content": [{"no": "kind"}]}, 422),
        ({"content": ["text"]}, 422),
        ({"content": [{"kind": "text", "content": "x"}]}, 200),
    ],
)
async def test_what_is_no_message_of_a_person_is_refused(serve: Serve, body: Any, status: int) -> None:
    on = await serve(HELLO)
    session = await on.session()
    answer = await on.client.post(f"/sessions/{session}/messages", body)
    assert answer.status == status, answer.body
    if status != 200:
        assert answer.json["code"] == "bad_request"
        assert not on.live(session).turns


async def test_a_full_queue_says_that_there_will_be_room(serve: Serve) -> None:
    on = await serve([asyncio.Event()], session_limits=SessionLimits(queue=1))
    session = await on.session()
    await on.submit(session, "a")
    await until(lambda: bool(on.provider.invocations))
    await on.submit(session, "b")
    answer = await on.say(session, "c")
    assert (answer.status, answer.json["code"], answer.headers["retry-after"]) == (429, "limit", "1")
    assert on.front.readers == 0


async def test_a_message_that_is_too_large_is_refused_for_good(serve: Serve) -> None:
    on = await serve(HELLO, session_limits=SessionLimits(message_bytes=10))
    answer = await on.say(await on.session(), "x" * 11)
    assert (answer.status, answer.json["code"], answer.json["retryable"]) == (413, "limit", False)
