"""Stored sessions, as `ore sessions` shows them."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from ore.artifact import Artifact, ToolCall, ToolResult, to_json
from ore.cli.failures import run
from ore.cli.lines import spoken
from ore.cli.opened import opened
from ore.cli.output import Output
from ore.cli.status import DONE, Status
from ore.cli.terminal import whisper
from ore.errors import InputError
from ore.ledger import Store, Summary, Thread, Turn, TurnStatus, encode_turn

__all__ = ["list_sessions", "search_sessions", "show_session"]

PAGE = 100

EVERY = sys.maxsize
"""Hits, when nobody limits them."""


def list_sessions(options: Namespace) -> Status:
    """Print all sessions.

    Raises:
        OreError: The store cannot be used.
    """
    return run(_list(options))


def show_session(options: Namespace) -> Status:
    """Print the turns of one session, or what was sent for its answers.

    Raises:
        NotFoundError: There is none of that id.
        OreError: The store cannot be used.
    """
    return run(_show(options))


def search_sessions(options: Namespace) -> Status:
    """Print the turns that contain a text, those of the most recently written sessions first.

    Raises:
        InputError: There is nothing to search for.
        OreError: The store cannot be used.
    """
    text = spoken(options.text, "search")
    if not text.strip():
        raise InputError("search: expected a text to search for, got none")
    return run(_search(text, options))


async def _list(options: Namespace) -> Status:
    async with opened(options) as store:
        found = await _all(store)
    output = Output()
    if options.json:
        output.json(to_json({"sessions": found}))
    else:
        if not found:
            whisper("ore: no session is stored here; `ore run` and `ore chat` make some")
        output.text("".join(f"{_line(summary)}\n" for summary in found))
    return output.status(DONE)


async def _all(store: Store) -> Sequence[Summary]:
    found: list[Summary] = []
    cursor: str | None = None
    while True:
        page = await store.list(cursor=cursor, limit=PAGE)
        found += page.threads
        cursor = page.next_cursor
        if cursor is None:
            return found


def _line(summary: Summary) -> str:
    turns = f"{summary.turns} turn{'s' * (summary.turns != 1)}"
    return f"{summary.id}  {_time(summary.last_at)}  {turns:>9}  {summary.title or summary.preview or ''}".rstrip()


def _time(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else " " * 16


async def _show(options: Namespace) -> Status:
    async with opened(options) as store:
        stored = await store.load(options.id)
    turns = Thread(stored.turns, tip=stored.tip).turns
    output = Output()
    if options.context:
        from ore.cli.contexts import print_contexts

        print_contexts(stored.id, turns, output, as_json=options.json)
    elif options.json:
        shown: dict[str, Any] = {"id": stored.id, "metadata": stored.metadata}
        output.json(to_json(shown | {"turns": [msgspec.Raw(encode_turn(turn)) for turn in turns]}))
    else:
        output.text("\n".join("".join(f"{line}\n" for line in _told(turn)) for turn in turns))
    return output.status(DONE)


def _told(turn: Turn) -> Iterator[str]:
    notes = [turn.model] if turn.model else []
    notes += [turn.status.value] if turn.status is not TurnStatus.COMPLETE else []
    yield f"{turn.role.value} ({', '.join(notes)}):" if notes else f"{turn.role.value}:"
    for artifact in turn.artifacts:
        text = _words(artifact)
        if text:
            yield text


def _words(artifact: Artifact) -> str:
    if isinstance(artifact, ToolCall):
        return f"→ {artifact.name} {artifact.for_human()}"
    if isinstance(artifact, ToolResult):
        return f"← {artifact.for_human()}"
    return artifact.for_human()


async def _search(text: str, options: Namespace) -> Status:
    async with opened(options) as store:
        hits = await store.search(text, limit=options.limit or EVERY)
    output = Output()
    if options.json:
        output.json(to_json({"hits": hits}))
    else:
        if not hits:
            whisper(f"ore: no turn of a session contains {text!r}")
        output.text("".join(f"{hit.id}  {hit.turn}  {' '.join(hit.snippet.split())}\n" for hit in hits))
    return output.status(DONE)
