"""Many readers of one session: told together, in pieces that are made once for all of them."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from http_conduit.client import Live
from http_conduit.conftest import Serve
from ore.artifact import Notice, TextDelta
from ore.ext.conduits.http.pace import Pace

READERS = 8
PIECES = 40


@pytest.fixture
def slow_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a busy machine gets nothing done late."""
    monkeypatch.setattr(Pace, "beat_s", 0.3)


@pytest.mark.usefixtures("slow_beat")
async def test_what_comes_while_a_beat_lasts_goes_out_in_one_piece_to_all(serve: Serve) -> None:
    on = await serve()
    session = await on.session()
    async with AsyncExitStack() as stack, asyncio.timeout(10):
        events = f"/sessions/{session}/events"
        lives = [await stack.enter_async_context(on.client.open("GET", events)) for _ in range(READERS)]
        for live in lives:
            assert (await live.piece() or b"").startswith(b"retry")
        del lives[0]  # it was alone when it came, and waits for no beat
        for number in range(PIECES):
            on.live(session).emit(Notice(content=f"number {number}"))
            await asyncio.sleep(0)
        pieces = [await live.piece() for live in lives]
    assert all(piece is not None and piece.count(b"event: notice") == PIECES for piece in pieces)
    assert len({id(piece) for piece in pieces}) == 1  # the very same bytes


async def test_a_piece_that_comes_after_a_pause_goes_out_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    on = await serve()
    session = await on.session()
    async with AsyncExitStack() as stack, asyncio.timeout(10):
        events = f"/sessions/{session}/events"
        lives = [await stack.enter_async_context(on.client.open("GET", events)) for _ in range(READERS)]
        for live in lives:
            await live.piece()
        await _rested(Pace(), lives)
        monkeypatch.setattr(Pace, "beat_s", 3_600.0)
        on.live(session).emit(Notice(content="now"))
        for live in lives:
            assert b"now" in (await live.piece() or b"")


async def test_one_reader_alone_never_waits(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pace, "beat_s", 3_600.0)
    on = await serve([TextDelta(content="a"), TextDelta(content="b")])
    session = await on.session()
    async with asyncio.timeout(10):
        assert (await on.say(session)).lines[-1]["outcome"] == "done"


async def test_a_reader_that_leaves_in_the_middle_of_a_beat_is_gone_at_once(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pace, "beat_s", 3_600.0)
    on = await serve()
    session = await on.session()
    async with asyncio.timeout(10):
        async with AsyncExitStack() as stack:
            for _ in range(READERS):
                await stack.enter_async_context(on.client.open("GET", f"/sessions/{session}/events"))
            assert on.front.readers == READERS
        assert on.front.readers == 0


def test_the_more_readers_there_are_the_longer_the_beat_up_to_a_tenth_of_a_second() -> None:
    pace = Pace()
    found = []
    for readers in (0, 2, 100, 10_000):
        pace.readers = readers
        found.append(pace.beat_s)
    assert found == [0, 0.001, 0.05, 0.1]


async def _rested(other: Pace, lives: list[Live]) -> None:
    """All of them wait for an event, not for a beat: a beat that begins now is behind theirs."""
    other.readers = len(lives)
    await other.beat()
    await asyncio.sleep(0)
