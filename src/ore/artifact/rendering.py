"""Two texts of a tool's value: one for the model, one for people."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from ore.artifact.codec import clean, to_json

__all__ = ["HumanRenderer", "ModelRenderer", "StatusContributor", "human_text", "model_text"]


class ModelRenderer(Protocol):
    """A value that knows what a model should read of it; opts out of truncation."""

    def for_model(self) -> str:
        """The text for the model, used as it is."""
        ...


class HumanRenderer(Protocol):
    """A value that knows what people should read of it."""

    def for_human(self) -> str:
        """Markdown for people."""
        ...


class StatusContributor(Protocol):
    """A value that changes the session's ambient properties."""

    def status(self) -> dict[str, str]:
        """Metadata keys and their new values."""
        ...


def has_method(value: Any, name: str) -> bool:
    """Whether the value's class defines the method; a field of that name does not count."""
    return callable(getattr(type(value), name, None))


def model_text(value: Any, unknown: Callable[[Any], Any]) -> str:
    """What the model gets of a tool's value: strings raw, nothing as empty, the rest as compact JSON.

    Args:
        value: What the tool returned.
        unknown: Turns what msgspec cannot encode into what it can, or raises `TypeError`.

    Raises:
        TypeError: The value is not JSON, and has no `for_model`.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return clean(value)
    if has_method(value, "for_model"):
        return clean(value.for_model())
    return clean(_encoded(value, unknown).decode())


def _encoded(value: Any, unknown: Callable[[Any], Any]) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=unknown)
    except UnicodeEncodeError:
        return to_json(msgspec.to_builtins(value, enc_hook=unknown))
    except (ValueError, RecursionError) as error:  # such as NaN keys, or a list that holds itself
        raise TypeError(f"expected a value that can be JSON: {error}") from None


def human_text(value: Any) -> str | None:
    """What people get when it differs from the model's text; `None` when it does not."""
    return clean(value.for_human()) if has_method(value, "for_human") else None


def display_text(value: Any) -> str | None:
    """A display hint as text: its own rendering, a string as it is, else JSON; `None` when there is none."""
    if value is None:
        return None
    if has_method(value, "for_human"):
        return clean(value.for_human())
    if isinstance(value, str):
        return clean(value)
    try:
        return to_json(value).decode()
    except (TypeError, ValueError, RecursionError):
        return None
