"""Text, images, files and sounds as parts of a message."""

import base64
from typing import Any, Final

from ore.artifact import Artifact, Audio, File, Image, Media, ToolCall, ToolResult
from ore.ext.wires.media import Content, content_of, text_of
from ore.ext.wires.openai_chat.dialect import Dialect

__all__ = ["cannot_take", "media_part", "placeholder", "text_part", "texts_of"]

Part = dict[str, Any]

_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""By OpenAI's "Images and vision" (read 2026-11)."""

_SOUNDS: Final = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}
"""By OpenAI's API reference, `input_audio` (read 2026-11)."""


def text_part(text: str) -> Part:
    """A text."""
    return {"type": "text", "text": text}


def texts_of(artifact: Artifact) -> str:
    """What a model reads of an artifact; empty where it is no text, or has its own place in a request."""
    return "" if isinstance(artifact, ToolCall | ToolResult) else artifact.for_model()


def media_part(media: Media, dialect: Dialect) -> Part | None:
    """An image, file or sound as a server takes it; `None` when it does not."""
    content = content_of(media)
    if isinstance(media, Image):
        return _image(media, content, dialect)
    if isinstance(media, Audio):
        return _audio(content, dialect)
    return _file(media, content, dialect) if isinstance(media, File) else None


def placeholder(media: Media) -> str:
    """What stands in the place of something that the model cannot take."""
    return f"[{media.kind} left out: {media.name or media.media_type or 'without a name'}]"


def cannot_take(media: Media) -> str:
    """Why something is refused, as a sentence."""
    what = media.media_type or "without a type"
    return f"the model cannot take this {media.kind} ({what}{', empty' if media.data == b'' else ''})"


def _image(media: Image, content: Content | None, dialect: Dialect) -> Part | None:
    if "image" not in dialect.media:
        return None
    if content is None:
        return {"type": "image_url", "image_url": {"url": media.url}} if _is_on_the_web(media) else None
    if content.media_type not in _IMAGES or not content.data:
        return None
    return {"type": "image_url", "image_url": {"url": _data_url(content)}}


def _audio(content: Content | None, dialect: Dialect) -> Part | None:
    form = _SOUNDS.get(content.media_type) if content is not None else None
    if content is None or form is None or not content.data or "audio" not in dialect.media:
        return None
    return {"type": "input_audio", "input_audio": {"data": _base64(content.data), "format": form}}


def _file(media: File, content: Content | None, dialect: Dialect) -> Part | None:
    name = media.name or "file"
    if content is not None and (text := text_of(content)):
        return text_part(f"{name}:\n{text}")
    if "file" not in dialect.media:
        return None
    if content is None:
        inner = {"filename": name, "file_data": media.url}
        return {"type": "file", "file": inner} if dialect.file_urls and _is_on_the_web(media) else None
    if not content.data:
        return None
    return {"type": "file", "file": {"filename": name, "file_data": _data_url(content)}}


def _is_on_the_web(media: Media) -> bool:
    return (media.url or "").lower().startswith(("https://", "http://"))


def _data_url(content: Content) -> str:
    return f"data:{content.media_type or 'application/octet-stream'};base64,{_base64(content.data)}"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
