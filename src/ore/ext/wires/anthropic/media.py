"""Images and documents as content blocks."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import Audio, File, Image, Media

__all__ = ["media_block"]

_PDF: Final = "application/pdf"

_MAGIC: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""With WebP all that the vendor takes: "Vision" of its documentation (read 2026-11)."""


def media_block(media: Media) -> Mapping[str, Any] | str:
    """The block of an image or a document, else why it cannot be sent.

    An image goes by what its first bytes say, since the vendor refuses those
    that are declared wrongly. A file is an image, a PDF, or text.
    """
    if isinstance(media, Audio):
        return "this protocol takes no sound"
    if media.blob is not None:
        return "its bytes are kept elsewhere"
    data, url, declared = media.data, media.url, media.media_type or ""
    if url is not None and url.startswith("data:"):
        head, _, encoded = url.removeprefix("data:").partition(",")
        declared = declared or head.partition(";")[0]
        data = _decoded(encoded) if head.endswith(";base64") else None
        if data is None:
            return "its data URL is not in base64"
    if data is not None:
        return _of_bytes(media, data, declared)
    if url is None or not url.startswith(("https://", "http://")):
        return "expected an address that begins with https://"
    return _of_address(media, url, declared)


def _of_bytes(media: Media, data: bytes, declared: str) -> Mapping[str, Any] | str:
    if not data:
        return "it is empty"
    found = _image_type(data)
    if found is not None:
        return {"type": "image", "source": _base64(found, data)}
    if isinstance(media, Image):
        return "it is no JPEG, PNG, GIF or WebP"
    if data.startswith(b"%PDF-") or declared == _PDF:
        return _document(media, _base64(_PDF, data))
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "it is no image, no PDF and no text in UTF-8"
    if not text.strip():
        return "it is empty"
    return _document(media, {"type": "text", "media_type": "text/plain", "data": text})


def _of_address(media: Media, url: str, declared: str) -> Mapping[str, Any] | str:
    source = {"type": "url", "url": url}
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


def _image_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for magic, media_type in _MAGIC if data.startswith(magic)), None)


def _decoded(text: str) -> bytes | None:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return None
