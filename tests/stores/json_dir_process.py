"""What tests let other processes do with a folder of JSON files: `json_dir_process.py COMMAND FOLDER …`.

Prints a line for what became durable.
"""

import asyncio
import resource
import sys
from pathlib import Path

from ore.artifact import Text
from ore.errors import OreError
from ore.ext.stores.json_dir import JsonStore
from ore.ledger import Role, Turn, TurnRecord, new_turn_id

TEXT = "x" * 100_000


def say(line: object) -> None:
    print(line, flush=True)


def said(text: str) -> TurnRecord:
    return TurnRecord(turn=Turn(id=new_turn_id(), role=Role.USER, artifacts=(Text(content=text),)))


async def save(folder: Path) -> None:
    """Save a thread of 5 MB again and again; say how many records it has each time."""
    store = JsonStore(folder)
    if not (await store.list()).threads:
        await store.create("t", {})
        await store.append(await store.take("t"), [said(TEXT) for _ in range(50)])
    while True:
        writer = await store.take("t")
        await store.append(writer, [said("one more")])
        say(writer.sequence)
        await store.close(writer)


async def hold(folder: Path) -> None:
    """Have the folder until the end of the input."""
    store = JsonStore(folder)
    await store.create("theirs", {})
    say("held")
    await asyncio.to_thread(sys.stdin.read)
    await store.aclose()


async def race(folder: Path, name: str, count: int) -> None:
    """Save the same thread from two tasks, against another process that does so; say how often it was refused."""
    refused = 0

    async def task(size: int) -> None:
        nonlocal refused
        for number in range(count):
            while not await saved(f"{name}-{size}-{number}", size):
                refused += 1
                await asyncio.sleep(0)

    async def saved(turn_id: str, size: int) -> bool:
        store = JsonStore(folder)
        try:
            writer = await store.take("t")
            turn = Turn(id=turn_id, role=Role.USER, artifacts=(Text(content="x" * size),))
            await store.append(writer, [TurnRecord(turn=turn)])
            await store.close(writer)
        except OreError as error:
            assert error.code == "session_owned"
            return False
        finally:
            await store.aclose()
        return True

    async with asyncio.TaskGroup() as group:
        group.create_task(task(10))
        group.create_task(task(100_000))
    say(refused)


async def leave(folder: Path) -> None:
    """Write, and end without closing anything."""
    store = JsonStore(folder)
    await store.create("t", {})
    await store.append(await store.take("t"), [said("x")])


async def fill(folder: Path) -> None:
    """Write more than the disk takes, as far as this process can tell; then when it takes it."""
    store = JsonStore(folder)
    await store.create("t", {})
    writer = await store.take("t")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    async def attempt(text: str) -> None:
        try:
            await store.append(writer, [said(text)])
        except OreError as error:
            say(f"{error.code} {writer.sequence}")
        else:
            say(f"written {writer.sequence}")

    await attempt("before")
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    await attempt("x" * 2_000_000)
    await attempt("small")
    await attempt("x" * 300_000)
    say(await store.close(writer))
    await attempt("x" * 300_000)
    say(await store.close(writer))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await attempt("x" * 2_000_000)
    await store.aclose()


if __name__ == "__main__":
    command, place, *more = sys.argv[1:]
    path = Path(place)
    match command:
        case "save":
            asyncio.run(save(path))
        case "hold":
            asyncio.run(hold(path))
        case "race":
            asyncio.run(race(path, more[0], int(more[1])))
        case "leave":
            asyncio.run(leave(path))
        case "fill":
            asyncio.run(fill(path))
