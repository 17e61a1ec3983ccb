"""How soon keys are heard, and what they do is seen."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual import constants
from textual.events import Key
from textual.message_pump import MessagePump

from ore.artifact import TextDelta
from ore.ext.conduits.terminal.keyboard import Keyboard, Typed, quick_escape
from ore.ext.conduits.terminal.pace import Pace
from ore.ledger import TurnStatus
from terminal.scene import stage, until


def keys(typed: Typed, *pieces: bytes) -> list[str]:
    return [message.key for piece in pieces for message in typed.take(piece) if isinstance(message, Key)]


def test_escape_alone_is_asked_for_well_within_a_tenth_of_a_second() -> None:
    """Behaviour 2."""
    typed = Typed()
    assert typed.wait_s >= 0.1  # nobody is woken for nothing
    with quick_escape({}):
        assert keys(typed, b"x") == ["x"]
        assert keys(typed, b"\x1b") == []
        assert typed.wait_s < 0.05


def test_escape_is_one_once_nothing_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour 2."""
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.0)
    typed = Typed()
    assert keys(typed, b"\x1b", b"") == ["escape"]
    assert typed.wait_s >= 0.1


def test_a_key_that_comes_in_pieces_is_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 3600.0)
    assert keys(Typed(), b"\x1b", b"[", b"A", b"\xc3", b"\xa4", b"\xff") == ["up", "ä", "replacement_character"]


def test_who_has_set_how_long_escape_waits_keeps_it() -> None:
    before_s = constants.ESCAPE_DELAY
    with quick_escape({"ESCDELAY": "500"}):
        assert before_s == constants.ESCAPE_DELAY
    with quick_escape({}):
        assert before_s > constants.ESCAPE_DELAY
    assert before_s == constants.ESCAPE_DELAY


async def test_the_screen_reads_keys_so() -> None:
    async with stage() as on:
        assert on.app.get_driver_class() is Keyboard


class Held(Pace):
    """Draws only what somebody waits for."""

    is_held = True

    def soon(self) -> None:
        if not self.is_held:
            super().soon()

    def at_once(self) -> None:
        self.is_held = False
        super().at_once()
        self.is_held = True


async def test_escape_at_a_stream_is_seen_at_once_and_what_would_come_next_never() -> None:
    """Behaviour 2."""
    hold = asyncio.Event()
    pieces: list[Any] = [TextDelta(content="Half a"), hold, TextDelta(content=" and the rest")]
    async with stage(pieces) as on:
        await on.send("go")
        await on.shows("Half a", "answering")
        await until(lambda: not on.app.pace.is_due, "all to be drawn")
        on.app.pace = Held(on.app, on.app.draw)
        await on.pilot.press("escape")
        await on.stream.idle()
        hold.set()
        assert on.stream.turns[-1].status is TurnStatus.INTERRUPTED
        await on.shows("Half a", "[interrupted]", "ready")
        assert "the rest" not in on.text


class Timers(MessagePump):
    """Timers that never come."""

    def __init__(self) -> None:
        super().__init__()
        self._running = True
        self.waits_s: list[float] = []
        self.stopped = 0

    def set_timer(self, delay: float, callback: Callable[[], Any] | None = None, **more: Any) -> Any:
        self.waits_s.append(delay)
        return self

    def stop(self) -> None:
        self.stopped += 1


def test_what_is_much_work_is_drawn_less_often_but_what_somebody_waits_for_at_once() -> None:
    timers = Timers()
    pace = Pace(timers, lambda: None, clock=lambda: 7.0)
    pace.end(0.04)
    pace.soon()
    pace.soon()
    assert timers.waits_s == pytest.approx([0.2]) and pace.is_due
    pace.at_once()
    assert timers.waits_s == pytest.approx([0.2, 0.001]) and timers.stopped == 1
    pace.begin()
    assert not pace.is_due
