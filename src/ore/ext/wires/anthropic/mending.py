"""`Mender`: events whose text was cut inside a character."""

import json
from typing import Any, Final

from ore.artifact import to_json
from ore.ext.wires.anthropic.structs import Event, decode_event
from ore.ext.wires.halves import Halves

__all__ = ["Mender"]

_TEXTS: Final = ("text", "thinking", "partial_json")


class Mender:
    """Reads events that hold lone surrogates, which msgspec refuses, and so does every store.

    Where the next event brings the other half, the character is whole; else
    U+FFFD stands for it, or nothing where the text ended with it.
    """

    __slots__ = ("_halves",)

    def __init__(self) -> None:
        self._halves = Halves()

    def mended(self, data: bytes) -> tuple[Event, bytes] | None:
        """The event and its bytes; `None` when something else is wrong with it."""
        try:
            found = json.loads(data)
            self._join(found)
            whole = to_json(found)
            return decode_event(whole), whole
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
            return None

    def _join(self, found: Any) -> None:
        delta = found.get("delta") if isinstance(found, dict) else None
        if not isinstance(delta, dict):
            return
        for name in _TEXTS:
            if isinstance(delta.get(name), str):
                delta[name] = self._halves.join(name, delta[name])
