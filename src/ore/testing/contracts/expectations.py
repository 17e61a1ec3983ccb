"""What a contract's check expects, said so that a failure explains itself."""

from collections.abc import Awaitable

from ore.errors import OreError
from ore.ledger import MetadataRecord, Operation, Store, Turn, TurnRecord, Writer

__all__ = ["said", "same", "set_fact", "tell", "true", "wrong"]


def same(found: object, expected: object) -> None:
    """Compare whole values.

    Raises:
        AssertionError: They differ.
    """
    if found != expected:
        raise AssertionError(f"expected {expected!r}, got {found!r}")


def true(claim: bool, what: str) -> None:
    """Insist on a claim.

    Raises:
        AssertionError: It does not hold.
    """
    if not claim:
        raise AssertionError(f"expected {what}")


async def wrong(kind: type[OreError], work: Awaitable[object]) -> None:
    """Expect `work` to be refused with just this error.

    Raises:
        AssertionError: It was not.
    """
    try:
        found = await work
    except OreError as error:
        same(type(error), kind)
    else:
        raise AssertionError(f"expected {kind.__name__}, got {found!r}")


def said(turn: Turn) -> TurnRecord:
    """The record of a turn outside any message."""
    return TurnRecord(turn=turn)


def set_fact(key: str, value: str | None) -> MetadataRecord:
    """The record of one change of metadata; `None` deletes."""
    return MetadataRecord(operations=(Operation(op="delete" if value is None else "set", key=key, value=value),))


async def tell(store: Store, writer: Writer, *turns: Turn) -> None:
    """Append turns, each in an append of its own."""
    for turn in turns:
        await store.append(writer, [said(turn)])
