"""`Guard`: looks at what is said or called, and decides."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, Literal

import msgspec

from ore.artifact import to_json

__all__ = ["Action", "Guard", "Looked", "Verdict", "ask", "block", "json_text", "rewrite"]


class Action(StrEnum):
    """What is done."""

    BLOCK = "block"
    REWRITE = "rewrite"
    ASK = "ask"


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """What a guard looks at.

    Attributes:
        where: `input` is what a person says, `output` what a model answers,
            `call` a tool call before it runs.
        text: Its text; of a call the arguments as JSON.
        tool: The tool that is called.
        arguments: The call's arguments, as values.
    """

    where: Literal["input", "output", "call"]
    text: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None

    def with_arguments(self, arguments: Mapping[str, Any]) -> "Looked":
        """The same call with other arguments."""
        return msgspec.structs.replace(self, arguments=arguments, text=json_text(arguments))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is done about it; made by `block`, `rewrite` and `ask`.

    Attributes:
        reason: Why, for people, and for the model where a call is blocked.
        content: What stands in its place: text, or the arguments of a call.
    """

    action: Action
    reason: str = ""
    content: str | Mapping[str, Any] | None = None


Guard = Callable[[Looked], Verdict | Awaitable[Verdict | None] | None]
"""A rule, a function, or a model that is asked; `None` lets it pass. One that
raises blocks: what could not be checked does not pass."""


def json_text(arguments: Mapping[str, Any]) -> str:
    """Arguments as JSON, as far as they can be."""
    return to_json(msgspec.to_builtins(arguments, enc_hook=str)).decode()


def block(reason: str) -> Verdict:
    """It goes no further."""
    return Verdict(action=Action.BLOCK, reason=reason)


def rewrite(content: str | Mapping[str, Any], reason: str = "") -> Verdict:
    """Something else takes its place; guards behind this one look at that."""
    return Verdict(action=Action.REWRITE, reason=reason, content=content)


def ask(reason: str) -> Verdict:
    """A person decides."""
    return Verdict(action=Action.ASK, reason=reason)
