"""Doubles, checkers and contract suites, for the tests of ore and of what is built on it.

Nothing here imports a test framework. Names are imported on first use; the
contract suites stand in `ore.testing.contracts`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ore.testing.order import OrderChecker, check_order
    from ore.testing.recorder import Recorder
    from ore.testing.scripted import Invocation, Item, ScriptedProvider
    from ore.testing.shapes import (
        ShapeError,
        check_anthropic,
        check_gemini,
        check_ollama,
        check_openai_chat,
        check_openai_responses,
    )

__all__ = [
    "Invocation",
    "Item",
    "OrderChecker",
    "Recorder",
    "ScriptedProvider",
    "ShapeError",
    "check_anthropic",
    "check_gemini",
    "check_ollama",
    "check_openai_chat",
    "check_openai_responses",
    "check_order",
]

_HOMES = {
    "Invocation": "scripted",
    "Item": "scripted",
    "OrderChecker": "order",
    "Recorder": "recorder",
    "ScriptedProvider": "scripted",
    "ShapeError": "shapes",
    "check_anthropic": "shapes",
    "check_gemini": "shapes",
    "check_ollama": "shapes",
    "check_openai_chat": "shapes",
    "check_openai_responses": "shapes",
    "check_order": "order",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
