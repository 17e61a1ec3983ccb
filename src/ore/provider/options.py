"""Options: what a provider may be asked beside the conversation; unknown ones are passed over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from ore.ledger import State
from ore.tool import Tool

__all__ = [
    "MaxTokensOption",
    "Option",
    "OutputOption",
    "PromptCacheOption",
    "RequestOption",
    "ToolsOption",
    "ViewOption",
    "WithTools",
    "option",
    "tools_of",
]

T = TypeVar("T")


class WithTools(msgspec.Struct, frozen=True):
    """The tools of this inference, in the order in which the request names them."""

    tools: Sequence[Tool]


@dataclass(frozen=True, slots=True)
class ToolsOption:
    """Tools that depend on the conversation; a Step resolves them once a turn, into `WithTools`."""

    resolve: Callable[[State], Sequence[Tool]]


@dataclass(frozen=True, slots=True)
class ViewOption:
    """The conversation as transforms show it now: for a provider that added to it before it asked another.

    A Step passes it where there are transforms.
    """

    look: Callable[[], State]


@dataclass(frozen=True, slots=True)
class RequestOption:
    """Somebody wants to see the body of each request, as it is sent; told once for each, before its answer comes.

    Providers that send none pass it over.
    """

    seen: Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class MaxTokensOption:
    """A limit on the answer, in tokens; not positive is the same as not passing it."""

    tokens: int


@dataclass(frozen=True, slots=True)
class OutputOption:
    """The answer shall be JSON of this schema, by the vendor's own means where it has them."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PromptCacheOption:
    """How the vendor's prompt cache is used; where it is not passed, as this one is by default.

    Attributes:
        marks: Mark what stays the same, for vendors that cache only what is marked.
        key: What requests with one beginning share, for vendors that route by
            it; the session's id when `None`.
    """

    marks: bool = True
    key: str | None = None


Option = Any
"""Any value; a provider looks for the classes it knows."""


def option(options: Sequence[Option], kind: type[T]) -> T | None:
    """The last option of a class; `None` when there is none."""
    found = None
    for item in options:
        if type(item) is kind:
            found = item
    return found


def tools_of(options: Sequence[Option]) -> Sequence[Tool]:
    """The tools of this inference; empty without any."""
    found: Sequence[Tool] = ()
    for item in options:
        if type(item) is WithTools:
            found = item.tools
    return found
