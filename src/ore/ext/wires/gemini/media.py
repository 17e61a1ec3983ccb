"""`media_part`: images, files and sounds as parts."""

import base64
from typing import Any, Final

from ore.artifact import Image, Media
from ore.ext.wires.media import content_of, text_of

__all__ = ["media_part", "why_not"]

_IMAGES: Final = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
"""By "Image understanding" of the Gemini API's documentation (read 2026-11)."""


def media_part(media: Media) -> dict[str, Any]:
    """The part of it; a line of text where it cannot be sent."""
    found = _found(media)
    return {"text": f"{media.for_human()} was left out: {found}"} if isinstance(found, str) else found


def why_not(media: Media) -> str | None:
    """Why it cannot be sent; `None` when it can."""
    found = _found(media)
    return found if isinstance(found, str) else None


def _found(media: Media) -> dict[str, Any] | str:
    """The part, else why there is none. An address goes as it stands: the vendor fetches it. A file of text is text."""
    if media.url is not None and not media.url.startswith("data:"):
        if not media.url.startswith(("https://", "http://", "gs://")):
            return "expected an address that begins with https://"
        typed = {"mimeType": media.media_type} if media.media_type else {}
        return {"fileData": {**typed, "fileUri": media.url}}
    content = content_of(media)
    if content is None:
        return "its bytes are kept elsewhere" if media.blob else "its data URL cannot be read"
    text = text_of(content)
    if not (content.data if text is None else text.strip()):
        return "it is empty"
    if text is not None:
        return {"text": f"{media.name}:\n{text}" if media.name else text}
    if isinstance(media, Image) and content.media_type not in _IMAGES:
        return "it is no PNG, JPEG, WebP or HEIC"
    if not content.media_type:
        return "nobody says what type it has"
    return {"inlineData": {"mimeType": content.media_type, "data": base64.b64encode(content.data).decode()}}
