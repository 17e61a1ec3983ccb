"""Images and documents as content blocks."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import Audio, File, Image, Media
from ore.ext.wires.media import Content, content_of, sniffed

__all__ = ["media_block", "why_not"]

_PDF: Final = "application/pdf"

_IMAGES: Final = ("image/gif", "image/jpeg", "image/png", "image/webp")
"""All that the vendor takes: "Vision" of its documentation (read 2026-11)."""


def media_block(media: Media) -> Mapping[str, Any] | str:
    """The block of an image or a document, else why it cannot be sent.

    An image goes by what its first bytes say, since the vendor refuses those
    that are declared wrongly. A file is an image, a PDF, or text.
    """
    if isinstance(media, Audio):
        return "this protocol takes no sound"
    if media.blob is not None:
        return "its bytes are kept elsewhere"
    content = content_of(media)
    if content is not None:
        return _of_bytes(media, content)
    url = media.url or ""
    if not url.startswith(("https://", "http://")):
        return "expected bytes, or an address that begins with https://"
    return _of_address(media, url)


def why_not(media: Media) -> str | None:
    """Why something cannot be sent; `None` when it can."""
    found = media_block(media)
    return found if isinstance(found, str) else None


def _of_bytes(media: Media, content: Content) -> Mapping[str, Any] | str:
    data, found = content.data, sniffed(content.data)
    if not data:
        return "it is empty"
    if found in _IMAGES:
        return {"type": "image", "source": _base64(found, data)}
    if isinstance(media, Image):
        return "it is no JPEG, PNG, GIF or WebP"
    if _PDF in (found, content.media_type):
        return _document(media, _base64(_PDF, data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "it is no image, no PDF and no text in UTF-8"
    if not text.strip():
        return "it is empty"
    return _document(media, {"type": "text", "media_type": "text/plain", "data": text})


def _of_address(media: Media, url: str) -> Mapping[str, Any] | str:
    declared, source = media.media_type or "", {"type": "url", "url": url}
    if isinstance(media, Image) or declared.startswith("image/"):
        return {"type": "image", "source": source}
    path = url.partition("?")[0].lower()
    if isinstance(media, File) and (declared == _PDF or path.endswith(".pdf")):
        return _document(media, source)
    return "of files only images and PDFs are taken by their address"


def _document(media: Media, source: Mapping[str, Any]) -> Mapping[str, Any]:
    title = (media.name or "").strip()
    return {"type": "document", "source": source, **({"title": title} if title else {})}


def _base64(media_type: str, data: bytes) -> Mapping[str, Any]:
    return {"type": "base64", "media_type": media_type, "data": b64encode(data).decode()}
