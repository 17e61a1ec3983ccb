"""`AgentSpec`: everything that makes one agent, as a value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ore.agent.screen import Screen
from ore.calls import CallLimits
from ore.cognitive import Pattern, ReAct, RunLimits
from ore.ledger import State
from ore.loop import Finisher, Handler, Preparer, Transform
from ore.models import Spec
from ore.provider import Count, Option, Provider, as_it_is
from ore.tool import Tool

__all__ = ["AgentSpec", "Extension", "OutputType", "Tools"]

Tools = Callable[[State], Sequence[Tool]]
"""The tools of an inference, as the conversation stands; asked once a turn, in
one order as long as nothing changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputType:
    """What an answer has to be.

    Attributes:
        name: A name for the schema.
        schema: Makes its JSON Schema; asked when a model is.
        parse: Reads an answer's text; raises `ToolError` with what is wrong with it.
    """

    name: str
    schema: Callable[[], Mapping[str, Any]]
    parse: Callable[[str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """Everything that makes one agent; sessions are built from it.

    Attributes:
        name: For traces, lists and hand-offs.
        provider: Who answers.
        spec: Which model, and how.
        description: What it is good for.
        tools: Its tools.
        transforms: Change what the model sees, in order.
        handlers: See what comes of an inference, in order, beside the tools.
        options: Options for every inference.
        pattern: Makes the pattern for one message.
        screens: Look at messages before they are taken in, in order.
        limits: On the work for one message.
        call_limits: On tool calls.
        output: What an answer has to be; `None` is text.
        deps: What tools find in their context.
        count: Has providers counted that extensions bring, such as a guard's; its own provider is counted as it is.
    """

    name: str
    provider: Provider
    spec: Spec = field(default_factory=Spec)
    description: str = ""
    tools: Tools | None = None
    transforms: Sequence[Transform] = ()
    handlers: Sequence[Handler | Preparer | Finisher] = ()
    options: Sequence[Option] = ()
    pattern: Callable[[], Pattern] = ReAct
    screens: Sequence[Screen] = ()
    limits: RunLimits = field(default_factory=RunLimits)
    call_limits: CallLimits = field(default_factory=CallLimits)
    output: OutputType | None = None
    deps: Any = None
    count: Count = as_it_is


Extension = Callable[[AgentSpec], AgentSpec]
"""Changes an agent as a whole, such as its transforms, its tools and its pattern together."""
