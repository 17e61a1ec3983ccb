"""Sessions, their facts, their agents, and what is stored of them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from http_conduit.conftest import Serve
from ore.artifact import Text, TextDelta
from ore.errors import CorruptError
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import MemoryStore, StoredThread
from ore.session import Manager
from session.watch import until

HELLO = [TextDelta(content="Hello")]


async def test_a_session_is_made_and_found_again(serve: Serve) -> None:
    on = await serve(HELLO)
    made = await on.client.post("/sessions", {"metadata": {"topic": "moon"}})
    id = made.json["id"]
    assert (made.status, made.json) == (201, {"id": id, "events_url": f"/sessions/{id}/events"})
    assert made.headers["location"] == f"/sessions/{id}"
    again = await on.client.post("/sessions", {"thread_id": id, "metadata": {"more": "yes"}})
    assert (again.status, again.json) == (200, made.json)
    assert (await on.client.get(f"/sessions/{id}/metadata")).json == {"topic": "moon", "more": "yes"}


async def test_an_empty_body_makes_a_session_and_a_broken_one_does_not(serve: Serve) -> None:
    on = await serve()
    assert (await on.client.post("/sessions")).status == 201
    for raw in (b"{", b"nothing", b'{"thread_id": }', b"\xff"):
        answer = await on.client.call("POST", "/sessions", body=raw)
        assert (answer.status, answer.json["code"]) == (400, "bad_request")
        assert answer.headers["content-type"] == "application/problem+json"
    assert len(on.sessions.list()) == 1


async def test_a_thread_that_is_not_stored_is_not_there(serve: Serve) -> None:
    on = await serve()
    for id in ("nobody", "..", "-x", "a" * 129, "_call.x"):
        assert (await on.client.post("/sessions", {"thread_id": id})).status == 404
        for method, path in (
            *(("GET", "messages"), ("GET", "questions"), ("GET", "events"), ("GET", "snapshot"), ("GET", "turns")),
            *(("GET", "metadata"), ("POST", "interrupt"), ("POST", "messages"), ("PUT", "tip"), ("POST", "fork")),
        ):
            answer = await on.client.call(method, f"/sessions/{id}/{path}", {} if method != "GET" else None)
            assert (answer.status, answer.json["code"]) == (404, "not_found"), path
        assert (await on.client.delete(f"/sessions/{id}")).status == 404


async def test_a_thread_that_cannot_be_read_is_not_the_same_as_one_that_is_not_there(serve: Serve) -> None:
    class Broken(MemoryStore):
        async def load(self, thread_id: str) -> StoredThread:
            raise CorruptError("the file is damaged")

    on = await serve(store=Broken())
    answer = await on.client.post("/sessions", {"thread_id": "x"})
    assert (answer.status, answer.json["code"], answer.json["title"]) == (500, "corrupt", "Internal Server Error")


async def test_a_fault_of_the_program_is_logged_and_not_told(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    class Faulty(MemoryStore):
        async def load(self, thread_id: str) -> StoredThread:
            raise ZeroDivisionError("s3cret")

    on = await serve(store=Faulty())
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError

    with pytest.raises(ZeroDivisionError):  # for the server's own log
        await on.client.app(on.client._scope("GET", "/sessions/x/turns", b"", False, {}), receive, send)
    assert sent[0]["status"] == 500
    assert b"s3cret" not in sent[1]["body"] and b'"code":"error"' in sent[1]["body"]


async def test_a_session_is_made_under_a_name_of_ones_own_where_that_is_said(serve: Serve) -> None:
    """Without `create` a name that nothing has is unknown, and with it one that there is stays as it is."""
    on = await serve(HELLO, HELLO, agents=("writer", "critic"))
    assert (await on.client.post("/sessions", {"thread_id": "trip"})).status == 404
    body = {"thread_id": "trip", "create": True, "agent": "critic", "metadata": {"a": "1"}}
    assert [(await on.client.post("/sessions", body)).status for _ in range(2)] == [201, 200]
    assert (await on.client.get("/sessions/trip/metadata")).json == {"a": "1", "ore.agent": "critic"}
    await on.say("trip")
    assert (await on.client.delete("/sessions/trip")).status == 204
    assert (await on.client.post("/sessions", {"thread_id": "trip", "create": True})).status == 200
    assert len((await on.client.get("/sessions/trip/turns")).json) == 2
    assert (await on.client.post("/sessions", body | {"agent": "writer"})).status == 409
    for wrong in ("a b", "_call.x"):
        assert (await on.client.post("/sessions", {"thread_id": wrong, "create": True})).status == 404


async def test_of_many_who_make_the_same_session_at_once_one_does(serve: Serve) -> None:
    on = await serve(HELLO)
    body = {"thread_id": "trip", "create": True}
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(on.client.post("/sessions", body)) for _ in range(5)]
    assert sorted(task.result().status for task in asking) == [200, 200, 200, 200, 201]


async def test_any_route_makes_a_stored_thread_active(serve: Serve) -> None:
    store = MemoryStore()
    on = await serve(HELLO, store=store)
    session = await on.session()
    await on.say(session)
    assert (await on.client.delete(f"/sessions/{session}")).status == 204
    assert on.sessions.list() == ()
    assert len((await on.client.get(f"/sessions/{session}/turns")).json) == 2
    assert [stream.id for stream in on.sessions.list()] == [session]
    assert (await on.say(session)).lines[-1]["outcome"] == "done"


async def test_an_agent_is_chosen_by_name_and_kept(serve: Serve) -> None:
    on = await serve(HELLO, agents=("writer", "critic"))
    assert (await on.client.get("/agents")).json == {
        "agents": [
            {"name": "writer", "description": "The writer."},
            {"name": "critic", "description": "The critic."},
        ]
    }
    session = await on.session(agent="critic")
    assert (await on.client.get(f"/sessions/{session}/metadata")).json == {"ore.agent": "critic"}
    assert (await on.client.post("/sessions", {"agent": "nobody"})).status == 422
    other = await on.client.post("/sessions", {"agent": "writer", "thread_id": session})
    assert (other.status, other.json["code"]) == (409, "conflict")
    assert (await on.client.post("/sessions", {"agent": "critic", "thread_id": session})).status == 200


async def test_facts_are_set_deleted_and_told(serve: Serve) -> None:
    on = await serve()
    session = await on.session(metadata={"a": "1", "b": "2"})
    path = f"/sessions/{session}/metadata"
    async with on.client.open("GET", f"/sessions/{session}/events") as live:
        await live.piece()
        answer = await on.client.call("PATCH", path, {"a": None, "c": "3"})
        assert (answer.status, answer.json) == (200, {"b": "2", "c": "3"})
        event = await live.event()
        assert event and event.data["operations"] == [
            {"op": "delete", "key": "a", "value": None},
            {"op": "set", "key": "c", "value": "3"},
        ]
    refused: list[Any] = [
        *({"a": 1}, {"ore.model.temperature": "warm"}, {"x": "y" * 70_000}, [], {"ore.agent": "nobody"})
    ]
    for wrong in refused:
        assert (await on.client.call("PATCH", path, wrong)).status == 422
    assert (await on.client.get(path)).json == {"b": "2", "c": "3"}


async def test_one_session_more_than_allowed_is_refused(serve: Serve) -> None:
    on = await serve(limits={"sessions": 1})
    first = await on.session()
    answer = await on.client.post("/sessions")
    assert (answer.status, answer.json["code"], answer.json["retryable"]) == (429, "limit", True)
    assert (await on.client.get(f"/sessions/{first}/turns")).status == 200


async def test_too_many_changes_in_a_row_are_refused_and_reading_is_not(serve: Serve) -> None:
    on = await serve(limits={"burst": 2, "writes_per_s": 0.5})
    session = await on.session()
    assert [(await on.client.post("/sessions")).status for _ in range(2)] == [201, 429]
    answer = await on.say(session)
    assert (answer.status, answer.json["code"], answer.headers["retry-after"]) == (429, "limit", "2")
    assert (await on.client.get(f"/sessions/{session}/turns")).status == 200


async def test_stored_threads_are_listed_page_by_page(serve: Serve) -> None:
    on = await serve(HELLO)
    for number in range(5):
        await on.say(await on.session(metadata={"ore.title": f"talk {number}"}), f"hello {number}")
    seen, cursor = [], ""
    while True:
        page = (await on.client.get(f"/threads?limit=2{cursor}")).json
        seen += [thread["title"] for thread in page["threads"]]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [f"talk {number}" for number in (4, 3, 2, 1, 0)]
    (found,) = (await on.client.get("/threads?q=TALK%203")).json["threads"]
    assert (found["preview"], [*found]) == ("hello 3", ["id", "title", "preview", "last_at"])


@pytest.mark.parametrize(
    ("query", "status", "count"),
    [
        *(("", 200, 20), ("?limit=0", 200, 1), ("?limit=-5", 200, 1), ("?limit=1000", 200, 25), ("?limit=x", 422, 0)),
        *(("?cursor=garbage", 400, 0), ("?cursor=", 400, 0)),
    ],
)
async def test_the_size_of_a_page_is_clamped(serve: Serve, query: str, status: int, count: int) -> None:
    on = await serve()
    for _ in range(25):
        await on.session()
    answer = await on.client.get(f"/threads{query}")
    assert answer.status == status
    assert len(answer.json.get("threads", ())) == count


async def test_a_deleted_thread_is_gone_and_its_session_with_it(serve: Serve) -> None:
    on = await serve([TextDelta(content="a"), asyncio.Event()])
    session = await on.session()
    running = asyncio.create_task(on.say(session))
    await until(lambda: bool(on.provider.invocations))
    assert (await on.client.delete(f"/threads/{session}")).status == 204
    assert (await running).lines[-1]["outcome"] == "cancelled"
    assert (await on.client.get(f"/sessions/{session}/turns")).status == 404
    assert (await on.client.delete(f"/threads/{session}")).status == 404
    assert (await on.client.get("/threads")).json == {"threads": []}


async def test_while_another_owner_works_there_it_can_be_read_and_nothing_else(serve: Serve) -> None:
    """Here another manager of this process; the store's lock file means another process."""
    store = MemoryStore()
    hold = asyncio.Event()
    other = await serve([TextDelta(content="a"), hold], store=store)
    session = await other.session(metadata={"a": "b"})
    here = await serve(HELLO, store=store)
    assert (await here.client.get(f"/sessions/{session}/turns")).json == []
    message = await other.submit(session)
    await until(lambda: bool(other.provider.invocations))
    path = f"/sessions/{session}"
    assert [turn["role"] for turn in (await here.client.get(f"{path}/turns")).json] == ["user"]
    assert (await here.client.get(f"{path}/metadata")).json == {"a": "b"}
    state = (await here.client.get(f"{path}/snapshot")).json
    assert (state["phase"], [item["id"] for item in state["queue"]]) == ("submitted", [message])
    requests: list[tuple[str, str, Any]] = [
        *(("GET", path + "/messages", None), ("GET", path + "/questions", None), ("GET", path + "/events", None)),
        *(("POST", path + "/messages", {"content": "x"}), ("POST", path + "/interrupt", None)),
        *(("PATCH", path + "/metadata", {"c": "d"}), ("PUT", path + "/tip", {"turn": None}), ("DELETE", path, None)),
        *(("POST", "/sessions", {"thread_id": session}), ("DELETE", f"/threads/{session}", None)),
        *(("POST", path + "/questions/x:0", {"decision": "deny"}), ("GET", f"{path}/messages/{message}", None)),
    ]
    for method, place, body in requests:
        answer = await here.client.call(method, place, body)
        assert (answer.status, answer.json["code"]) == (409, "session_owned"), place
    hold.set()
    await other.live(session).idle()
    assert (await here.say(session)).lines[-1]["outcome"] == "done"
    assert len((await here.client.get(f"{path}/turns")).json) == 4


async def test_what_another_process_said_meanwhile_is_shown_and_told(serve: Serve, tmp_path: Path) -> None:
    """Also to a page that was open all the time."""
    here, there = [await serve(HELLO, store=SqliteStore(str(tmp_path / "ore.db"))) for _ in range(2)]
    session = await here.session()
    await here.say(session, "one")
    async with here.client.open("GET", f"/sessions/{session}/events") as live:
        await live.piece()
        await there.say(session, "two")
        await there.client.call("PATCH", f"/sessions/{session}/metadata", {"a": "b"})
        assert len((await here.client.get(f"/sessions/{session}/turns")).json) == 4
        event = await live.event()
        assert event and event.kind == "gap" and len(event.data["snapshot"]["turns"]) == 4
        assert (await here.client.get(f"/sessions/{session}/metadata")).json == {"a": "b"}
        state = (await here.client.get(f"/sessions/{session}/snapshot")).json
        await here.say(session, "three")
        event = await live.event()
        assert event and event.kind == "turn_complete"
    async with here.client.open("GET", f"/sessions/{session}/events?after={state['id']}") as again:
        event = await again.event()
        assert event and event.kind == "turn_complete"


async def test_a_manager_with_a_factory_of_its_own_is_served_too() -> None:
    from http_conduit.client import Client
    from ore.agent import AgentSpec
    from ore.ext.conduits.http import http_app
    from ore.testing import ScriptedProvider

    spec = AgentSpec(name="mine", provider=ScriptedProvider([Text(content="hi")], repeat=True))
    async with Manager(lambda stream: spec) as sessions:
        client = Client(http_app(sessions))
        id = (await client.post("/sessions")).json["id"]
        answer = await client.post(f"/sessions/{id}/messages", {"content": "x"})
        assert answer.lines[-1]["outcome"] == "done"
        assert (await client.get("/agents")).json == {"agents": []}
        assert (await client.post("/sessions", {"agent": "mine"})).status == 422


async def test_routes_that_are_not_there_say_so_in_the_same_form(serve: Serve) -> None:
    on = await serve()
    missing = await on.client.get("/nowhere")
    assert (missing.status, missing.json["code"], missing.json["status"]) == (404, "not_found", 404)
    wrong = await on.client.call("PUT", "/sessions")
    assert (wrong.status, wrong.json["code"]) == (405, "bad_request")
    assert {method.strip() for method in wrong.headers["allow"].split(",")} == {"GET", "HEAD", "POST"}
    assert (await on.client.get("/sessions/")).status == 404


async def test_the_server_says_that_it_is_well(serve: Serve) -> None:
    on = await serve()
    answer = await on.client.get("/healthz")
    assert (answer.status, answer.json) == (200, {"status": "ok"})
