"""`picture`: media as HTML that loads nothing."""

from base64 import b64encode
from typing import Final

from ore.artifact import Media
from ore.ext.export.escaping import escape, safe_url

__all__ = ["picture"]

_TYPES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
"""By their first bytes, whatever they are called; nothing that could hold a script is among them."""


def picture(media: Media) -> str:
    """The picture itself where its bytes are there, else a link or its name."""
    kind = _type(media.data) if media.data is not None else None
    name = escape(media.name or media.kind)
    if kind is not None and media.data is not None:
        return f'<img alt="{name}" src="data:{kind};base64,{b64encode(media.data).decode()}">'
    if media.url is not None and safe_url(media.url):
        return f'<a rel="noopener noreferrer nofollow" href="{escape(media.url)}">{escape(media.name or media.url)}</a>'
    return f'<span class="media">{escape(media.for_human())}</span>'


def _type(data: bytes) -> str | None:
    for first, kind in _TYPES:
        if data.startswith(first):
            return kind
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None
