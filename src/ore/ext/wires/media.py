"""What is inside of images, files and sounds: their bytes, their type, their text."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from ore.artifact import Media

__all__ = ["Content", "content_of", "sniffed", "text_of"]

_DATA_URL: Final = re.compile(r"data:([^,]*?)(;base64)?,(.*)", re.DOTALL)

_BEGINNINGS: Final[Mapping[bytes, str]] = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
    b"ID3": "audio/mpeg",
}

_RIFF: Final[Mapping[bytes, str]] = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}

_TEXTS: Final = re.compile(r"text/.*|application/(.*[+.])?(json|xml|yaml|javascript|x-(sh|yaml|python|javascript))")


class Content(NamedTuple):
    """Bytes, and their type without parameters; empty where nobody knows it."""

    media_type: str
    data: bytes


def content_of(media: Media) -> Content | None:
    """The bytes themselves, also those of a `data:` URL; `None` when they stand elsewhere.

    What an image's first bytes say counts for more than what it is called:
    vendors refuse one that is called otherwise.
    """
    if media.data is not None:
        return _typed(media.media_type, media.data)
    found = _DATA_URL.fullmatch(media.url or "")
    if found is None:
        return None
    try:
        data = base64.b64decode(found[3], validate=True) if found[2] else unquote_to_bytes(found[3])
    except (binascii.Error, ValueError):
        return None
    return _typed(media.media_type or found[1], data)


def sniffed(data: bytes) -> str:
    """The type that the first bytes say; empty when they are of none that is known here."""
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12], "")
    return next((name for begin, name in _BEGINNINGS.items() if data.startswith(begin)), "")


def text_of(content: Content) -> str | None:
    """The text of a file of text; `None` when it is none, or not in UTF-8."""
    if not _TEXTS.fullmatch(content.media_type):
        return None
    try:
        return content.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _typed(given: str | None, data: bytes) -> Content:
    said = (given or "").partition(";")[0].strip().lower()
    found = sniffed(data)
    return Content(found if found.startswith("image/") else said or found, data)
