"""What people and tools say, as parts of a request: texts, images, files."""

import mimetypes
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

from ore.artifact import Artifact, File, Image, Media, ToolCall, ToolResult
from ore.ext.wires.media import Content, content_of, text_of
from ore.ext.wires.openai_responses.dialect import Dialect

__all__ = ["asked_parts", "cannot_take", "media_part", "result_output", "text_part", "words_of"]

Part = dict[str, Any]

_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""By "Images and vision" of the vendor's documentation (read 2026-11)."""


def text_part(text: str) -> Part:
    """A text."""
    return {"type": "input_text", "text": text}


def words_of(artifact: Artifact) -> str:
    """What a model reads of an artifact; empty where it has its own place in a request."""
    return "" if isinstance(artifact, ToolCall | ToolResult) else artifact.for_model()


def asked_parts(artifacts: Sequence[Artifact], dialect: Dialect) -> list[Part]:
    """The parts of a message; in the place of what cannot be taken stands a text that names it."""
    parts: list[Part] = []
    for artifact in artifacts:
        if isinstance(artifact, Media):
            parts.append(media_part(artifact, dialect) or text_part(_placeholder(artifact)))
        elif words := words_of(artifact):
            parts.append(text_part(words))
    return parts


def media_part(media: Media, dialect: Dialect) -> Part | None:
    """An image or a file as the vendor takes it; `None` when it does not, as with every sound.

    By "File inputs" of the vendor's documentation (read 2026-11): PDFs,
    documents, sheets and texts, in base64 with a name or by their address.
    """
    content = content_of(media)
    if isinstance(media, Image):
        return _image(media, content)
    return _file(media, content, dialect) if isinstance(media, File) else None


def cannot_take(media: Media) -> str:
    """Why something is refused, as a sentence."""
    what = media.media_type or "without a type"
    return f"the model cannot take this {media.kind} ({what}{', empty' if media.data == b'' else ''})"


def result_output(result: ToolResult, dialect: Dialect) -> str | list[Part]:
    """What a call came to: its text, and beside it what else it returned."""
    media = asked_parts(result.media or (), dialect)
    if not media:
        return result.content
    return [*([text_part(result.content)] if result.content else []), *media]


def _placeholder(media: Media) -> str:
    return f"[{media.kind} left out: {media.name or media.media_type or 'without a name'}]"


def _image(media: Image, content: Content | None) -> Part | None:
    if content is None:
        return {"type": "input_image", "image_url": media.url} if _is_on_the_web(media) else None
    if content.media_type not in _IMAGES or not content.data:
        return None
    return {"type": "input_image", "image_url": _data_url(content.media_type, content.data)}


def _file(media: File, content: Content | None, dialect: Dialect) -> Part | None:
    if content is not None and not content.data:
        return None
    if not dialect.takes_files:
        text = text_of(content) if content is not None else None
        return text_part(f"{media.name or 'file'}:\n{text}") if text else None
    if content is None:
        return {"type": "input_file", "file_url": media.url} if _is_on_the_web(media) else None
    kind = content.media_type or mimetypes.guess_type(media.name or "")[0] or "application/octet-stream"
    name = media.name or f"file{mimetypes.guess_extension(kind) or ''}"
    return {"type": "input_file", "filename": name, "file_data": _data_url(kind, content.data)}


def _is_on_the_web(media: Media) -> bool:
    return (media.url or "").lower().startswith(("https://", "http://"))


def _data_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{b64encode(data).decode()}"
