"""`mended`: an event whose text was cut inside a character."""

import json

from ore.artifact import to_json
from ore.ext.wires.anthropic.structs import Event, decode_event

__all__ = ["mended"]


def mended(data: bytes) -> tuple[Event, bytes] | None:
    """An event that holds lone surrogates, with U+FFFD in their place.

    msgspec refuses them, and so does every store.

    Returns:
        The event and its bytes; `None` when something else is wrong with it.
    """
    try:
        whole = to_json(json.loads(data))
        return decode_event(whole), whole
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
        return None
