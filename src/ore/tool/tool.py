"""`Tool`: something a model may call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ore.artifact import Cut
from ore.tool.context import ToolContext

__all__ = ["Approve", "DisplayHint", "Example", "Tool", "ToolBody", "ToolFunction", "Traits"]

ToolFunction = Callable[[ToolContext, Mapping[str, Any]], Awaitable[Any]]
"""A tool whose arguments are a mapping; what it returns is rendered for the model."""

Approve = bool | Callable[[Mapping[str, Any]], bool]
"""Whether a person has to approve: always, never, or as the arguments say."""

DisplayHint = Callable[[Mapping[str, Any]], Any]
"""Makes what people see of a call from its arguments; `None` is no opinion. One
that raises is logged and passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """How a tool is used, shown to the model."""

    input: Mapping[str, Any]
    output: str = ""
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How a tool behaves.

    Attributes:
        read_only: It changes nothing, so its start need not be recorded.
        idempotent: Running it again with the same key does no harm, so a crash
            in the middle means another run rather than an unknown outcome.
        alone: No other call of the same turn runs beside it.
        approve: Whether a person has to say yes first.
        editable: Whether that person may change the arguments.
        timeout_s: Seconds until the call ends with an error; `None` is the handler's default.
        cut: Limits on what the model gets; `None` is the defaults.
        display_hint: What people see of a call.
        examples: How it is used.
    """

    read_only: bool = False
    idempotent: bool = False
    alone: bool = False
    approve: Approve = False
    editable: bool = False
    timeout_s: float | None = None
    cut: Cut | None = None
    display_hint: DisplayHint | None = None
    examples: Sequence[Example] = ()


class ToolBody(Protocol):
    """What a tool does, apart from how it is called."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments, an object; the same bytes every time."""
        ...

    @property
    def blocking(self) -> bool:
        """Whether `call` blocks, and so needs a thread; else it returns an awaitable."""
        ...

    def parse(self, arguments: str) -> Mapping[str, Any]:
        """Read the model's JSON, as the values that `call` takes.

        Raises:
            ToolError: It is no JSON object or does not fit; the message is for the model.
        """
        ...

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        """Run it. May raise anything: the model gets it as an error result."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something a model may call; make one with `tool` or from a `ToolBody`.

    Attributes:
        name: `[a-zA-Z0-9_-]{1,64}`.
        title: What people see; the original name of a remote tool.
    """

    name: str
    description: str
    body: ToolBody
    traits: Traits = field(default_factory=Traits)
    title: str | None = None

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments."""
        return self.body.schema
