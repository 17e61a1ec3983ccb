"""What tests let other processes do with a store: `store_process.py COMMAND FILE …`.

Speaks in lines: waits for one on standard input where it says so, prints what became durable.
"""

import asyncio
import resource
import sys
from pathlib import Path

from ore.artifact import Text
from ore.errors import OreError
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Role, Turn, TurnRecord


def say(line: object) -> None:
    print(line, flush=True)


def said(id: str, text: str = "x") -> TurnRecord:
    return TurnRecord(turn=Turn(id=id, role=Role.USER, artifacts=(Text(content=text),)))


async def write(path: Path, name: str, count: int) -> None:
    """Append `count` records to a session of its own; say each that was acknowledged."""
    store = SqliteStore(path)
    await store.create(name, {})
    writer = await store.take(name)
    for number in range(count):
        await store.append(writer, [said(f"{name}-{number}")])
        say(number)
    await store.aclose()


async def open_many(folder: Path, name: str) -> None:
    """For each line: open the file of that name together with everybody else, and write once."""
    say("ready")
    for line in sys.stdin:
        store = SqliteStore(folder / line.strip())
        await store.create(name, {})
        await store.append(await store.take(name), [said(name)])
        await store.aclose()
        say("written")


async def check(path: Path) -> None:
    """Say how many records each thread has; all must load."""
    store = SqliteStore(path)
    cursor = None
    while True:
        page = await store.list(cursor=cursor, limit=100)
        for thread in page.threads:
            loaded = await store.load(thread.id)
            assert [turn.id for turn in loaded.turns] == [f"{thread.id}-{n}" for n in range(loaded.sequence)]
            say(f"{thread.id} {loaded.sequence}")
        cursor = page.next_cursor
        if cursor is None:
            break
    await store.aclose()


async def leave(path: Path) -> None:
    """Write, and end without closing anything."""
    store = SqliteStore(path)
    await store.create("t", {})
    await store.append(await store.take("t"), [said("t-0")])
    await store.load("t")


async def fill(path: Path) -> None:
    """Write until the disk is full, as far as this process can tell; then when it no longer is."""
    store = SqliteStore(path)
    for name in ("small", "large"):
        await store.create(name, {})
    small, large = await store.take("small"), await store.take("large")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))

    async def attempt(append: asyncio.Future[None]) -> str:
        try:
            await append
        except OreError as error:
            return error.code
        return "written"

    # Together, so that they are in one transaction.
    futures = [store.append(small, [said("1")]), store.append(large, [said("1", "x" * 2_000_000)])]
    say([await attempt(future) for future in futures])
    say(await attempt(store.append(small, [said("2")])))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    say(await attempt(store.append(large, [said("2", "x" * 2_000_000)])))
    for name in ("small", "large"):
        say([turn.id for turn in (await store.load(name)).turns])
    await store.aclose()


if __name__ == "__main__":
    command, place, *more = sys.argv[1:]
    path = Path(place)
    match command:
        case "write":
            asyncio.run(write(path, more[0], int(more[1])))
        case "open":
            asyncio.run(open_many(path, more[0]))
        case "check":
            asyncio.run(check(path))
        case "leave":
            asyncio.run(leave(path))
        case "fill":
            asyncio.run(fill(path))
