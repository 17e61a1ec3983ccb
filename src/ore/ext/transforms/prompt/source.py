"""`Source`: where a piece of a prompt comes from, each time anew."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Protocol, runtime_checkable

from ore.artifact import clean, to_json
from ore.ledger import State
from ore.tool import Tool

__all__ = ["FromState", "Line", "Live", "Slot", "Source", "ToolExamples", "joined", "text_of"]


@runtime_checkable
class Live(Protocol):
    """A piece of a prompt that is asked for before each inference."""

    def text(self, state: State) -> str | None:
        """The piece as it is now; empty or `None` for none. Must not block for long.

        Args:
            state: The conversation.
        """
        ...


Source = str | Callable[[], str | None] | Live
"""Text, a function that makes it, or an object that does. What raises fails the
message before anything is sent."""


class FromState:
    """A piece that depends on the conversation.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[State], str | None]) -> None:
        self._make = make

    def text(self, state: State) -> str | None:
        """The piece."""
        return self._make(state)


class Line:
    """One line that names something, such as `Line("Model", "gpt-5")`; nothing when there is no name.

    Args:
        label: What it is.
        value: Its name, or what says it.
    """

    def __init__(self, label: str, value: str | Callable[[], str | None]) -> None:
        self._label = label
        self._value = value

    def text(self, state: State) -> str:
        """The line."""
        value = text_of(self._value, state)
        return f"{self._label}: {value}" if value else ""


class Slot:
    """A piece that is exchanged while the agent works, such as a role: there is never more than one.

    Args:
        content: What it holds at first.
    """

    def __init__(self, content: Source = "") -> None:
        self.content = content
        """What it holds; another one holds from the next inference on, in every session."""

    def text(self, state: State) -> str:
        """What it holds."""
        return text_of(self.content, state)


class ToolExamples:
    """How tools are used, for those that have examples.

    Args:
        tools: The tools.
    """

    def __init__(self, *tools: Tool) -> None:
        self._text = "\n\n".join(text for tool in tools if (text := "\n".join(_shown(tool))))

    def text(self, state: State) -> str:
        """The examples, tool by tool."""
        return self._text


def text_of(source: Source, state: State) -> str:
    """What a source says now.

    Raises:
        TypeError: It said something that is no text.
    """
    if isinstance(source, str):
        return clean(source)
    found: object = source.text(state) if isinstance(source, Live) else source()
    if found is None or isinstance(found, str):
        return clean(found or "")
    if isinstance(found, Coroutine):
        found.close()
        raise TypeError("prompt: expected text, got a coroutine; a function for it is not waited for")
    raise TypeError(f"prompt: expected text, or None for nothing, got {type(found).__name__}")


def joined(sources: Sequence[Source], state: State) -> str:
    """What sources say, in order, with an empty line between; those that say nothing are passed over."""
    said = (text_of(source, state).strip("\n") for source in sources)
    return "\n\n".join(text for text in said if text.strip())


def _shown(tool: Tool) -> Iterator[str]:
    if not tool.traits.examples:
        return
    yield f"Examples for the tool {tool.name}: {tool.description}".rstrip(": ")
    for number, example in enumerate(tool.traits.examples, 1):
        explained = f" {example.explanation}" if example.explanation else ""
        yield f"{number}.{explained}\n   input: {to_json(example.input).decode()}\n   output: {example.output}"
