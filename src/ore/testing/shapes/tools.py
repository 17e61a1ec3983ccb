"""What all vendors say about the names of tools and their arguments."""

import json
import re
from collections.abc import Mapping
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["NAME", "check_arguments"]

NAME: Final = re.compile("[a-zA-Z0-9_-]{1,64}")
"""Names of tools and of schemas. Anthropic takes 128 characters; 64 is what all take."""


def check_arguments(at: At) -> None:
    """The arguments of a call, as text: a JSON object."""
    try:
        value = json.loads(at.text())
    except ValueError:
        at.refuse("a string that holds a JSON object", f"one of {len(at.text())} characters that is no JSON")
    if not isinstance(value, Mapping):
        at.refuse("a string that holds a JSON object", f"one that holds {type(value).__name__}")
