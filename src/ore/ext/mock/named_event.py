"""An event with a name, as Anthropic's messages and OpenAI's Responses have them."""

import json
from typing import Any

__all__ = ["named_event"]


def named_event(type: str, **fields: Any) -> bytes:
    """The bytes of an event, whose data repeats its name."""
    value = json.dumps({"type": type, **fields}, ensure_ascii=False, separators=(",", ":"))
    return f"event: {type}\ndata: {value}\n\n".encode("utf-8", "replace")
