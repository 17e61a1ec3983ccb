"""Events of a session: followed, resumed, kept alive, bounded."""

import asyncio
import json

import pytest

from http_conduit.client import Event
from http_conduit.conftest import Serve
from http_conduit.scene import Scene
from ore.artifact import Text, TextDelta
from ore.event import Lifecycle
from ore.ledger import Role
from ore.session import SessionLimits
from session.watch import until

TEN = [TextDelta(content=f"{n} ") for n in range(10)]


async def whole(on: Scene, session: str) -> list[Event]:
    """All events of one message, fragments included, as a reader sees them who is there from the beginning."""
    async with on.client.open("GET", f"/sessions/{session}/events?kinds=*") as live:
        await live.piece()
        await on.submit(session)
        found = [await live.event()]
        while not (found[-1] and found[-1].data.get("phase") == "done"):
            found.append(await live.event())
        return [event for event in found if event]


async def test_events_come_with_ids_that_stand_in_them_too(serve: Serve) -> None:
    on = await serve(TEN)
    events = await whole(on, await on.session())
    assert [event.id for event in events] == [event.data["context"]["id"] for event in events]
    assert [event.kind for event in events] == [event.data["kind"] for event in events]
    assert [event.data["content"] for event in events if event.kind == "text_delta"] == [p.content for p in TEN]


@pytest.mark.requirement("B85")
async def test_whoever_comes_back_anywhere_misses_nothing_and_sees_nothing_twice(serve: Serve) -> None:
    """Behind every event of a turn, by header and by query; the header counts."""
    on = await serve(TEN)
    session = await on.session()
    events = await whole(on, session)
    texts = [event for event in events if event.kind != "text_delta"]
    for place, event in enumerate(events[:-1]):
        headers = {"Last-Event-ID": event.id}
        async with on.client.open("GET", f"/sessions/{session}/events?kinds=*&after=garbage", headers=headers) as live:
            expected = [one for one in events[place + 1 :] if one in texts]  # at rest only what is complete is kept
            found = await live.events(len(expected))
            assert found == expected
    async with on.client.open("GET", f"/sessions/{session}/events?after={texts[0].id}") as live:
        assert await live.events(len(texts) - 1) == texts[1:]


async def test_the_seam_between_replay_and_live_has_no_gap(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([*TEN[:5], hold, *TEN[5:]])
    session = await on.session()
    start = on.live(session).snapshot().id
    await on.submit(session)
    await until(lambda: bool(on.live(session).snapshot().blocks))
    async with on.client.open("GET", f"/sessions/{session}/events?kinds=text_delta&after={start}") as live:
        before = await live.event()
        hold.set()
        text = before.data["content"] if before else ""
        while len(text) < 20:
            event = await live.event()
            text += event.data["content"] if event else ""
        assert text == "".join(piece.content for piece in TEN)


@pytest.mark.requirement("B85")
@pytest.mark.parametrize("cursor", ["garbage", "9-9", "1-1", "-1", "1-2-3", "\u0661-\u0661"])
async def test_a_cursor_that_is_too_old_or_unknown_gives_the_state_instead(serve: Serve, cursor: str) -> None:
    on = await serve(TEN, session_limits=SessionLimits(window_bytes=600))
    session = await on.session()
    for _ in range(3):
        await on.say(session)
    async with on.client.open("GET", f"/sessions/{session}/events?kinds=text&after={cursor}") as live:
        event = await live.event()
        assert event and event.kind == "gap"
        state = event.data["snapshot"]
        assert (state["phase"], len(state["turns"])) == ("idle", 6)
        on.live(session).emit(Text(content="behind it"))
        event = await live.event()
        assert event and event.data["content"] == "behind it"


async def test_the_snapshot_is_where_events_go_on_from(serve: Serve) -> None:
    on = await serve(TEN)
    session = await on.session(metadata={"a": "b"})
    await on.say(session)
    state = (await on.client.get(f"/sessions/{session}/snapshot")).json
    assert (state["phase"], len(state["turns"]), state["metadata"]) == ("idle", 2, {"a": "b"})
    assert [*state] == ["id", "turns", "metadata", "phase", "queue", "questions", "blocks"]
    on.live(session).emit(Text(content="next"))
    async with on.client.open("GET", f"/sessions/{session}/events?after={state['id']}") as live:
        event = await live.event()
        assert event and event.data["content"] == "next"


async def test_a_snapshot_in_the_middle_has_what_was_said_so_far(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([TextDelta(content="Hel"), hold, TextDelta(content="lo")])
    session = await on.session()
    message = await on.submit(session)
    await until(lambda: bool(on.live(session).snapshot().blocks))
    state = (await on.client.get(f"/sessions/{session}/snapshot")).json
    assert state["phase"] == "streaming"
    assert [(item["id"], item["status"], item["position"]) for item in state["queue"]] == [(message, "running", 0)]
    assert [block["artifact"]["content"] for block in state["blocks"]] == ["Hel"]
    hold.set()


async def test_kinds_are_chosen_and_fragments_are_not_sent_unasked(serve: Serve) -> None:
    on = await serve(TEN)
    session = await on.session()
    events = f"/sessions/{session}/events"
    async with on.client.open("GET", f"{events}?kinds=lifecycle,text") as some, on.client.open("GET", events) as all:
        await on.say(session)
        assert [event.kind for event in await some.events(4)] == ["lifecycle", "lifecycle", "text", "lifecycle"]
        kinds = [event.kind for event in await all.events(7)]
        assert "text_delta" not in kinds and kinds[-1] == "lifecycle"


async def test_silence_is_broken_by_a_comment(serve: Serve) -> None:
    on = await serve(limits={"heartbeat_s": 0.02})
    session = await on.session()
    async with asyncio.timeout(5), on.client.open("GET", f"/sessions/{session}/events") as live:
        assert (live.headers["content-type"], live.headers["cache-control"]) == (
            "text/event-stream",
            "no-cache, no-store",
        )
        assert await live.piece() == b"retry: 1000\n: here\n\n"
        for _ in range(3):
            assert await live.piece() == b": ping\n\n"


async def test_a_head_request_does_not_stay(serve: Serve) -> None:
    on = await serve()
    session = await on.session()
    answer = await on.client.call("HEAD", f"/sessions/{session}/events")
    assert (answer.status, answer.body, on.front.readers) == (200, b"", 0)


async def test_a_reader_that_leaves_is_forgotten_and_changes_nothing(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([TextDelta(content="a"), hold, TextDelta(content="b")])
    session = await on.session()
    async with on.client.open("GET", f"/sessions/{session}/events?kinds=*") as live:
        await on.submit(session)
        await live.event()
        assert on.front.readers == 1
    assert on.front.readers == 0
    hold.set()
    await on.live(session).idle()
    assert on.live(session).turns[-1].artifacts[0] == Text(content="ab")


async def test_closing_the_session_ends_its_streams_behind_the_last_event(serve: Serve) -> None:
    on = await serve([TextDelta(content="a"), asyncio.Event()])
    session = await on.session()
    async with on.client.open("GET", f"/sessions/{session}/events") as live:
        running = asyncio.create_task(on.say(session))
        await until(lambda: on.live(session).snapshot().phase == "streaming")
        assert (await on.client.delete(f"/sessions/{session}")).status == 204
        assert [event.data.get("outcome") for event in await live.rest()][-1] == "cancelled"
        assert (await running).lines[-1]["outcome"] == "cancelled"


@pytest.mark.requirement("B82")
async def test_a_reader_that_stops_gets_all_the_text_in_fewer_pieces(serve: Serve) -> None:
    """And the other reader gets all of it too: as it comes, or whole at the end where it was too slow."""
    text = [TextDelta(content=f"{n:05} ") for n in range(5_000)]
    on = await serve(text, session_limits=SessionLimits(window_bytes=100_000))
    session = await on.session()
    stuck = asyncio.Event()
    sent: list[bytes] = []
    path = f"/sessions/{session}/events"

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, object]) -> None:
        sent.append(bytes(message.get("body", b"")))  # type: ignore[call-overload]
        if len(sent) == 3:  # headers, beginning, and the first events: from here on nothing is taken
            await stuck.wait()

    scope = on.client._scope("GET", path, b"", False, {}) | {"query_string": b"kinds=text_delta"}
    slow = asyncio.create_task(on.client.app(scope, receive, send))
    await asyncio.sleep(0)
    lines = (await on.say(session, kinds=["text_delta"])).lines
    told = ""
    for line in lines[:-1]:
        told = line["content"] if line["kind"] == "text" else told + line["content"]
    assert told == "".join(piece.content for piece in text)
    stuck.set()
    await until(lambda: len(sent) > 3)
    slow.cancel()
    await asyncio.wait((slow,))
    events = [json.loads(part.split(b"data: ")[1]) for part in b"".join(sent[2:]).split(b"\n\n") if b"data: " in part]
    whole = [event for event in events if event["kind"] == "text"]
    assert whole and whole[0]["content"] == "".join(piece.content for piece in text)
    assert sum(map(len, sent)) < 200_000


async def test_a_reader_that_takes_nothing_for_long_is_let_go_of(serve: Serve) -> None:
    on = await serve(TEN, limits={"heartbeat_s": 0.01, "stall_s": 0.05})
    session = await on.session()

    async def receive() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    scope = on.client._scope("GET", f"/sessions/{session}/events", b"", False, {})
    async with asyncio.timeout(5):
        await on.client.app(scope, receive, send)
    assert on.front.readers == 0


async def test_more_readers_than_allowed_are_refused(serve: Serve) -> None:
    on = await serve(TEN, limits={"session_readers": 1, "readers": 2})
    one, two, three = [await on.session() for _ in range(3)]
    async with on.client.open("GET", f"/sessions/{one}/events"):
        for path in (f"/sessions/{one}/events",):
            answer = await on.client.get(path)
            assert (answer.status, answer.json["code"], answer.headers["retry-after"]) == (429, "limit", "5")
        assert (await on.say(one)).status == 429
        async with on.client.open("GET", f"/sessions/{two}/events"):
            assert (await on.client.get(f"/sessions/{three}/events")).status == 429
    async with on.client.open("GET", f"/sessions/{one}/events") as live:
        assert live.status == 200


async def test_what_anybody_emits_is_seen(serve: Serve) -> None:
    on = await serve()
    session = await on.session()
    async with on.client.open("GET", f"/sessions/{session}/events") as live:
        await live.piece()
        await on.live(session).append_turn(Role.USER, Text(content="from elsewhere"))
        on.live(session).emit(Lifecycle(phase="streaming"))
        first, second = await live.events(2)
        assert (first.kind, second.kind) == ("turn_complete", "lifecycle")
        assert first.data["context"]["provenance"] == "app"
