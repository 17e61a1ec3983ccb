"""Images and files inside requests: types, encodings, and whether they are what they say."""

import base64
import binascii
import re
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["IMAGE_TYPES", "check_base64", "check_image_bytes", "check_image_url", "check_web_url"]

IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""OpenAI, "Images and vision", and Anthropic, "Vision", supported formats (read 2026-11)."""

_DATA_URL: Final = re.compile(r"data:([^;,]*);base64,(.*)", re.DOTALL)
_WEB_URL: Final = re.compile(r"https?://[^\s/]+\S*")


def check_image_url(at: At) -> None:
    """An image by its address, or as a data URL of its bytes.

    Raises:
        ShapeError: It is neither, or of a type that no vendor takes.
    """
    url = at.text(least=1)
    found = _DATA_URL.fullmatch(url)
    if found is None:
        check_web_url(at)
        return
    if found[1] not in IMAGE_TYPES:
        at.refuse(f"one of {', '.join(IMAGE_TYPES)}", repr(found[1]))
    check_image_bytes(At(at.path, found[2]), found[1])


def check_web_url(at: At) -> None:
    """An address on the web."""
    if not _WEB_URL.fullmatch(at.text()):
        at.refuse("an http or https URL")


def check_image_bytes(at: At, media_type: str) -> None:
    """An image in base64, whose bytes are of the type that it is said to have.

    Raises:
        ShapeError: It is empty, no base64, or the image of another type.
    """
    found = _sniffed(check_base64(at))
    if found is not None and found != media_type:
        at.refuse(f"an image of type {media_type}", f"one of {found}")


def check_base64(at: At) -> bytes:
    """Bytes in base64, at least one."""
    try:
        content = base64.b64decode(at.text(least=1), validate=True)
    except (binascii.Error, ValueError):
        at.refuse("base64", "other characters")
    return content


def _sniffed(content: bytes) -> str | None:
    """What the first bytes of an image say; `None` when they are of no type known here."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None
