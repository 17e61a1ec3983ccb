"""What kinds of content are read, and how."""

import re
from typing import Final

from ore.ext.tools.pictures import PICTURE_TYPES

__all__ = ["is_html", "is_marked_up", "is_read", "is_text"]

_TEXTS: Final = re.compile(
    r"text/.*|image/svg\+xml|application/(.*[+.])?(json|xml|yaml|toml|javascript|ecmascript|x-(sh|yaml|python|javascript"
    r"|ndjson|httpd-php|tex|latex)|jsonl|json-seq|ndjson|graphql|sql|typescript)(;.*)?"
)
_UNSURE: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})


def is_html(media_type: str) -> bool:
    """Whether it is a page."""
    return media_type in ("text/html", "application/xhtml+xml")


def is_marked_up(media_type: str) -> bool:
    """Whether it may say itself what it is written in."""
    return is_html(media_type) or media_type.endswith("xml")


def is_text(media_type: str) -> bool:
    """Whether it is text of any kind."""
    return bool(_TEXTS.fullmatch(media_type))


def is_read(media_type: str) -> bool:
    """Whether its body is worth having: text, pictures, and what does not say what it is."""
    return is_text(media_type) or media_type in PICTURE_TYPES or media_type in _UNSURE
