"""What a person sends: artifacts of a request's body, checked before anything keeps them."""

from typing import Final

import msgspec

from ore.artifact import BUILTIN_KINDS, Artifact, Audio, Codec, File, Image, Media, Text
from ore.errors import InputError, ToolError
from ore.event import Content, content_of
from ore.ext.conduits.http.decoding import decoded
from ore.ext.tools.pictures import PICTURE_TYPES, picture
from ore.ext.wires.media import content_of as bytes_of
from ore.ext.wires.media import sniffed

__all__ = ["content_in"]

SCHEMES: Final = ("https://", "http://")


def content_in(raw: msgspec.Raw, codec: Codec) -> Content:
    """What a message says: text, or a list of artifacts such as a person sends.

    Raises:
        InputError: It is something else: an artifact that only models and
            tools make, or one that would make every later request fail.
    """
    if bytes(raw)[:1] == b'"':
        return content_of(decoded(raw, str))
    items = decoded(raw, list[msgspec.Raw])
    return content_of([_artifact(item, place, codec) for place, item in enumerate(items)])


def _artifact(raw: msgspec.Raw, place: int, codec: Codec) -> Artifact:
    at = f"content[{place}]"
    try:
        artifact = codec.decode(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{at}: {error}") from None
    if isinstance(artifact, Media):
        return _media(artifact, at)
    if isinstance(artifact, Text):
        if artifact.provider_data is not None:
            raise InputError(f"{at}: expected no provider_data: only what a model said has some")
        return artifact
    if type(artifact) in BUILTIN_KINDS:
        raise InputError(f"{at}: expected text, an image, a file or audio, got {artifact.kind!r}")
    return artifact


def _media(media: Media, at: str) -> Artifact:
    """Bytes whose type is what it says, or an address; a key would be that of somebody else's bytes."""
    if media.blob is not None:
        raise InputError(f"{at}: expected data or url, got blob")
    content = bytes_of(media)
    if content is None:
        if not (media.url or "").startswith(SCHEMES):
            raise InputError(f"{at}: url: expected http:, https: or data:")
        return media
    if not content.data:
        raise InputError(f"{at}: expected some bytes, got none")
    if isinstance(media, Image):
        return _image(content.data, media.name, at)
    kind: type[File | Audio] = Audio if isinstance(media, Audio) else File
    media_type = content.media_type or None
    return kind(data=content.data, media_type=media_type, name=media.name, size_bytes=len(content.data))


def _image(data: bytes, name: str | None, at: str) -> Image:
    found = sniffed(data)
    if found not in PICTURE_TYPES:
        known = ", ".join(sorted(PICTURE_TYPES))
        raise InputError(f"{at}: expected an image that is one of {known}, got {found or 'none of those'}")
    try:
        return picture(data, name)
    except ToolError as error:
        raise InputError(f"{at}: {error}") from None
