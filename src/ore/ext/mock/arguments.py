"""Arguments of a call, as an object."""

import json
from typing import Any

__all__ = ["parsed"]


def parsed(arguments: str) -> Any:
    """What the text holds; nothing where it is cut or no object, as a vendor that parses for its clients has it."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
