"""A folder of JSON files in the hands of a test."""

import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ore.artifact import Codec, Text
from ore.ext.stores.json_dir import JsonStore
from ore.ledger import Record, Role, Turn, TurnRecord

__all__ = ["contents", "fill", "ids", "mode", "names", "opened", "said", "save", "turn", "write"]


def turn(id: str, text: str | None = None, parent: str | None = None) -> Turn:
    return Turn(id=id, parent_id=parent, role=Role.USER, artifacts=(Text(content=text or id),))


def said(id: str, text: str | None = None, parent: str | None = None) -> TurnRecord:
    return TurnRecord(turn=turn(id, text, parent))


@asynccontextmanager
async def opened(folder: Path, codec: Codec | None = None) -> AsyncIterator[JsonStore]:
    store = JsonStore(folder, codec=codec or Codec())
    try:
        yield store
    finally:
        await store.aclose()


async def save(store: JsonStore, thread_id: str, *records: Record) -> None:
    """One activation."""
    writer = await store.take(thread_id)
    await store.append(writer, records)
    await store.close(writer)


async def fill(folder: Path, **texts: str) -> None:
    """A thread of one turn for each name."""
    async with opened(folder) as store:
        for name, text in texts.items():
            await store.create(name, {"is": name})
            await save(store, name, said("1", text))


def names(folder: Path) -> set[str]:
    return set(os.listdir(folder)) - {".lock"}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def ids(turns: object) -> list[str]:
    assert isinstance(turns, tuple)
    return [each.id for each in turns]


def write(path: Path, content: bytes | str) -> None:
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def contents(path: Path) -> bytes:
    return path.read_bytes()
