"""`Verifier`: checks whether what an agent did is right."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from ore.ledger import State

__all__ = ["FunctionVerifier", "Standing", "Verification", "Verifier", "report", "verify_all"]

_LONGEST: Final = 8_000
"""Characters of one verifier's report that a model gets."""


class Standing(StrEnum):
    """What a verifier found."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """It could not find out."""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What one verifier found.

    Attributes:
        name: Its name.
        report: What is wrong, for the model to read; may be empty when nothing is.
    """

    name: str
    standing: Standing
    report: str = ""


class Verifier(Protocol):
    """Checks an answer, and what an agent did on the way to it. No base class: the shape is enough."""

    @property
    def name(self) -> str:
        """What it is called in reports."""
        ...

    async def verify(self, state: State) -> Verification:
        """Check. One that raises could not find out.

        Args:
            state: The conversation; its last turn is the answer.
        """
        ...


class FunctionVerifier:
    """A function that says what is wrong.

    Args:
        name: What it is called in reports.
        function: Gets the conversation, and returns what is wrong with it;
            nothing when nothing is. One that is no coroutine function runs in
            a thread.
    """

    def __init__(self, name: str, function: Callable[[State], str | Awaitable[str | None] | None]) -> None:
        self._name = name
        self._function = function

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return self._name

    async def verify(self, state: State) -> Verification:
        """Ask the function."""
        if inspect.iscoroutinefunction(self._function):
            wrong = await self._function(state)
        else:
            found = await asyncio.to_thread(self._function, state)
            wrong = await found if inspect.isawaitable(found) else found
        if not isinstance(wrong, str | None):
            raise TypeError(f"expected what is wrong as text, or None, got {type(wrong).__name__}")
        return Verification(name=self._name, standing=Standing.FAILED if wrong else Standing.PASSED, report=wrong or "")


async def verify_all(verifiers: Sequence[Verifier], state: State) -> Sequence[Verification]:
    """Ask all at once; what they found, sorted by name."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_verification(verifier, state)) for verifier in verifiers]
    return sorted((task.result() for task in tasks), key=lambda found: found.name)


def report(found: Sequence[Verification]) -> str:
    """What was found, as Markdown; what could not be checked and what failed with all that was said of it."""
    lines = [f"- {one.name}: {one.standing.value}" for one in found]
    told = [f"## {one.name}\n\n{_shortened(one.report)}" for one in found if one.report.strip()]
    return "\n\n".join(["\n".join(lines), *told])


async def _verification(verifier: Verifier, state: State) -> Verification:
    try:
        return await verifier.verify(state)
    except Exception as error:  # foreign code: the others go on, and the report says which it was
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Verification(name=verifier.name, standing=Standing.ERROR, report=text)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
