"""What a server gives, as artifacts: text, pictures, sounds, documents, links."""

import base64
import binascii
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from mcp import types

from ore.artifact import Artifact, Audio, File, Image, Text, clean
from ore.errors import ToolError
from ore.ext.tools.inert import inert

__all__ = ["artifacts_of", "harmless", "resource_artifacts", "value_of"]

_PICTURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""How files of the formats that all vendors take begin; WebP is looked at apart."""

_TAKEN: Final = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"})

FAILED: Final = "the server reports that the call failed, and not why"


def value_of(result: types.CallToolResult, media_bytes: int) -> Any:
    """What a call came to, as the value of a tool.

    Structured content takes the place of the texts beside it, which say the
    same for clients that know none. Control characters in texts are signs.

    Args:
        media_bytes: How much of pictures, sounds and documents is taken.

    Raises:
        ToolError: The server says that it failed.
    """
    if result.is_error:
        raise _error(result, media_bytes)
    parts = harmless(artifacts_of(result.content, media_bytes))
    if result.structured_content is None:
        return parts if len(parts) != 1 or not isinstance(parts[0], Text) else parts[0].content
    others = [part for part in parts if not isinstance(part, Text)]
    if not others:
        return result.structured_content
    return (Text(content=msgspec.json.encode(result.structured_content).decode()), *others)


def artifacts_of(blocks: Iterable[types.ContentBlock], media_bytes: int) -> tuple[Artifact, ...]:
    """Content blocks in their order; those that cannot be kept are named in words."""
    return tuple(_within(media_bytes, (_artifact(block) for block in blocks)))


def resource_artifacts(
    contents: Iterable[types.TextResourceContents | types.BlobResourceContents], media_bytes: int
) -> Sequence[Artifact]:
    """The contents of a resource that was read."""
    return tuple(_within(media_bytes, (_resource(content, is_named=False) for content in contents)))


def _error(result: types.CallToolResult, media_bytes: int) -> ToolError:
    parts = harmless(artifacts_of(result.content, media_bytes))
    first = next((part.content for part in parts if isinstance(part, Text)), FAILED)
    return ToolError(first, result=list(parts) if len(parts) > 1 else None)


def harmless(artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """The same for a model and whoever looks at it: texts with signs for control characters."""
    return tuple([Text(content=inert(one.content)) if isinstance(one, Text) else one for one in artifacts])


def _artifact(block: types.ContentBlock) -> Artifact:
    match block:
        case types.TextContent():
            return Text(content=clean(block.text))
        case types.ImageContent() | types.AudioContent():
            return _media(block.data, block.mime_type, None)
        case types.EmbeddedResource():
            return _resource(block.resource, is_named=True)
        case types.ResourceLink():
            return Text(content=_link(block))


def _resource(content: types.TextResourceContents | types.BlobResourceContents, *, is_named: bool) -> Artifact:
    if isinstance(content, types.TextResourceContents):
        return Text(content=clean(f"[{content.uri}]\n{content.text}" if is_named else content.text))
    return _media(content.blob, content.mime_type or "application/octet-stream", str(content.uri))


def _link(link: types.ResourceLink) -> str:
    facts = [fact for fact in (link.mime_type, f"{link.size} bytes" if link.size is not None else None) if fact]
    told = f": {link.description}" if link.description else ""
    about = f" ({', '.join(facts)})" if facts else ""
    return clean(f"[{link.title or link.name}]({link.uri}){about}{told}")


def _media(data: str, media_type: str, name: str | None) -> Artifact:
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return Text(content=f"[{media_type}: left out, it is no base64]")
    kind = media_type.lower()
    seen = _picture_type(raw)
    if not raw or (kind in _TAKEN and seen is None):
        # A vendor refuses a picture that is none, and with it everything that comes after it.
        return Text(content=f"[{media_type}: left out, its {len(raw)} bytes are no such thing]")
    if seen is not None and kind.startswith("image/"):
        return Image(data=raw, media_type=seen, name=name, size_bytes=len(raw))
    made: type[Audio] | type[File] = Audio if kind.startswith("audio/") else File
    return made(data=raw, media_type=media_type, name=name, size_bytes=len(raw))


def _picture_type(raw: bytes) -> str | None:
    """What kind of picture it is, by its first bytes; `None` when it is none that models take."""
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for head, media_type in _PICTURES if raw.startswith(head)), None)


def _within(media_bytes: int, artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    left = media_bytes
    for artifact in artifacts:
        if isinstance(artifact, Image | Audio | File):
            size = artifact.size_bytes or 0
            if size > left:
                yield Text(content=f"{artifact.for_human()}: left out, a result may bring {media_bytes:,} bytes")
                continue
            left -= size
        yield artifact
