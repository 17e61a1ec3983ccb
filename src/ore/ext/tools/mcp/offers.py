"""What a server has beside tools: resources to read, prompts to begin with."""

from dataclasses import dataclass

__all__ = ["McpArgument", "McpPrompt", "McpResource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpResource:
    """Something that can be read.

    Attributes:
        uri: What `read_resource` takes; of a template, with places to fill in.
        is_template: Whether it has such places.
        size_bytes: As the server says; `None` when it does not.
    """

    uri: str
    name: str
    description: str = ""
    media_type: str | None = None
    size_bytes: int | None = None
    is_template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class McpArgument:
    """What a prompt takes."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class McpPrompt:
    """A way to begin that the server knows; `get_prompt` fills it in."""

    name: str
    description: str = ""
    arguments: tuple[McpArgument, ...] = ()
