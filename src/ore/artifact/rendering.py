"""Two texts of a tool's value: one for the model, one for people."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import msgspec

from ore.artifact.codec import clean

__all__ = ["HumanRenderer", "ModelRenderer", "StatusContributor", "human_text", "model_text"]


@runtime_checkable
class ModelRenderer(Protocol):
    """A value that knows what a model should read of it; opts out of truncation."""

    def for_model(self) -> str:
        """The text for the model, used as it is."""
        ...


@runtime_checkable
class HumanRenderer(Protocol):
    """A value that knows what people should read of it."""

    def for_human(self) -> str:
        """Markdown for people."""
        ...


@runtime_checkable
class StatusContributor(Protocol):
    """A value that changes the session's ambient properties."""

    def status(self) -> dict[str, str]:
        """Metadata keys and their new values."""
        ...


def model_text(value: Any, to_builtins: Callable[[Any], Any]) -> str:
    """What the model gets of a tool's value: strings raw, nothing as empty, the rest as compact JSON.

    Raises:
        TypeError: The value is not JSON, and has no `for_model`.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, ModelRenderer):
        return clean(value.for_model())
    return clean(msgspec.json.encode(to_builtins(value), enc_hook=to_builtins).decode())


def human_text(value: Any) -> str | None:
    """What people get when it differs from the model's text; `None` when it does not."""
    return clean(value.for_human()) if isinstance(value, HumanRenderer) else None


def display_text(value: Any) -> str | None:
    """A display hint as text: its own rendering, a string as it is, else JSON; `None` when there is none."""
    if value is None:
        return None
    if isinstance(value, HumanRenderer):
        return clean(value.for_human())
    if isinstance(value, str):
        return clean(value)
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return None
