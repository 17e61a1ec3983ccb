"""Turns, branches and forks over HTTP."""

import asyncio

import pytest

from http_conduit.conftest import Serve
from http_conduit.scene import Scene
from ore.artifact import TextDelta
from session.watch import until

ANSWERS = [[TextDelta(content=f"answer {n}")] for n in range(9)]


async def talked(on: Scene, times: int) -> tuple[str, list[str]]:
    """A session with so many messages, and the ids of its turns."""
    session = await on.session(metadata={"ore.title": "Talk"})
    for number in range(times):
        await on.say(session, f"message {number}")
    return session, [turn.id for turn in on.live(session).turns]


def texts(turns: list[dict[str, list[dict[str, str]]]]) -> list[str]:
    return [turn["artifacts"][0]["content"] for turn in turns]


async def test_turns_come_part_by_part(serve: Serve) -> None:
    on = await serve(*ANSWERS)
    session, ids = await talked(on, 3)
    path = f"/sessions/{session}/turns"
    assert [turn["id"] for turn in (await on.client.get(path)).json] == ids
    assert [turn["id"] for turn in (await on.client.get(f"{path}?limit=2")).json] == ids[:2]
    assert [turn["id"] for turn in (await on.client.get(f"{path}?after={ids[1]}&limit=3")).json] == ids[2:5]
    assert (await on.client.get(f"{path}?after={ids[5]}")).json == []
    assert (await on.client.get(f"{path}?after=nowhere")).status == 404
    assert (await on.client.get(f"{path}?limit=x")).status == 422


async def test_an_empty_history_is_an_empty_list(serve: Serve) -> None:
    on = await serve()
    assert (await on.client.get(f"/sessions/{await on.session()}/turns")).json == []


async def test_turns_that_did_not_change_are_not_sent_again(serve: Serve) -> None:
    on = await serve(*ANSWERS)
    session, _ = await talked(on, 1)
    path = f"/sessions/{session}/turns"
    tag = (await on.client.get(path)).headers["etag"]
    same = await on.client.get(path, headers={"If-None-Match": tag})
    assert (same.status, same.body, same.headers["etag"]) == (304, b"", tag)
    await on.say(session)
    assert (await on.client.get(path, headers={"If-None-Match": tag})).status == 200


async def test_the_conversation_goes_on_from_another_turn_and_everybody_is_told(serve: Serve) -> None:
    on = await serve(*ANSWERS)
    session, ids = await talked(on, 2)
    path = f"/sessions/{session}"
    async with on.client.open("GET", f"{path}/events") as live:
        await live.piece()
        moved = await on.client.call("PUT", f"{path}/tip", {"turn": ids[1]})
        assert (moved.status, moved.json) == (200, {"turn": ids[1]})
        event = await live.event()
        assert event and event.kind == "gap"
        assert [turn["id"] for turn in event.data["snapshot"]["turns"]] == ids[:2]
    await on.say(session, "instead")
    turns = (await on.client.get(f"{path}/turns")).json
    assert texts(turns) == ["message 0", "answer 0", "instead", "answer 2"]
    every = (await on.client.get(f"{path}/turns?all=true")).json
    assert [turn["id"] for turn in every][:4] == ids and len(every) == 6
    assert (await on.client.call("PUT", f"{path}/tip", {"turn": None})).json == {"turn": None}
    assert (await on.client.get(f"{path}/turns")).json == []
    assert (await on.client.call("PUT", f"{path}/tip", {"turn": "nowhere"})).status == 404
    assert (await on.client.call("PUT", f"{path}/tip", {})).status == 422


async def test_the_tip_does_not_move_while_a_message_runs(serve: Serve) -> None:
    hold = asyncio.Event()
    on = await serve([hold, *ANSWERS[0]])
    session = await on.session()
    await on.submit(session)
    await until(lambda: bool(on.provider.invocations))
    answer = await on.client.call("PUT", f"/sessions/{session}/tip", {"turn": None})
    assert (answer.status, answer.json["code"]) == (409, "conflict")
    hold.set()


async def test_a_fork_is_a_thread_of_its_own(serve: Serve) -> None:
    on = await serve(*ANSWERS)
    session, ids = await talked(on, 2)
    made = await on.client.post(f"/sessions/{session}/fork", {"at": ids[1]})
    assert made.status == 201 and [*made.json] == ["id"]
    fork = made.json["id"]
    assert texts((await on.client.get(f"/sessions/{fork}/turns")).json) == ["message 0", "answer 0"]
    assert (await on.client.get(f"/sessions/{fork}/metadata")).json == {"ore.title": "Talk"}
    assert len((await on.client.get(f"/sessions/{session}/turns")).json) == 4
    whole = await on.client.post(f"/sessions/{session}/fork", {})
    assert len((await on.client.get(f"/sessions/{whole.json['id']}/turns")).json) == 4
    assert (await on.client.post(f"/sessions/{session}/fork", {"at": "nowhere"})).status == 404


@pytest.mark.parametrize("place", [None, 1])
async def test_a_fork_can_begin_with_other_words(serve: Serve, place: int | None) -> None:
    """Behind a turn, or instead of all of them."""
    on = await serve(*ANSWERS)
    session, ids = await talked(on, 2)
    at = None if place is None else ids[place]
    made = (await on.client.post(f"/sessions/{session}/fork", {"at": at, "content": "instead"})).json
    await on.live(made["id"]).idle()
    state = await on.client.get(f"/sessions/{made['id']}/messages/{made['message']}")
    assert state.json["outcome"] == "done"
    before = [] if place is None else ["message 0", "answer 0"]
    assert texts((await on.client.get(f"/sessions/{made['id']}/turns")).json) == [*before, "instead", "answer 2"]
