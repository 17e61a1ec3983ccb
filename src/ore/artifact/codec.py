"""`Codec`: artifacts to JSON and back, with kinds that nobody here knows."""

import re
from collections.abc import Callable
from typing import Any, Final, final

import msgspec

from ore.artifact.base import Artifact, tag_of
from ore.artifact.control import BlockEnd, Notice, Restart
from ore.artifact.media import Audio, File, Image
from ore.artifact.reasoning import Reasoning, ReasoningDelta
from ore.artifact.server_tool import ServerTool
from ore.artifact.stop_reason import StopReason
from ore.artifact.text import Text, TextDelta
from ore.artifact.tool_call import ToolCall, ToolCallDelta
from ore.artifact.tool_result import ToolResult
from ore.artifact.usage import Usage

__all__ = ["BUILTIN_KINDS", "CODEC", "Codec", "Unknown", "clean", "encode", "to_json"]

BUILTIN_KINDS: Final[tuple[type[Artifact], ...]] = (
    *(Text, TextDelta, Reasoning, ReasoningDelta, ToolCall, ToolCallDelta, ToolResult),
    *(Image, File, Audio, ServerTool, Usage, StopReason, Notice, Restart, BlockEnd),
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = ("kind", "context")
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")  # in JSON they are only ever white space
_encode = msgspec.json.Encoder().encode


@final
class Unknown(Artifact, frozen=True, kw_only=True, tag="unknown"):
    """An artifact of a kind that no one registered: kept, shown, never sent.

    Its bytes are written back as they came.
    """

    name: str
    raw: bytes

    @property
    def kind(self) -> str:
        """The kind it came with."""
        return self.name

    def for_human(self) -> str:
        """Its kind."""
        return f"[{self.name}]"


class Codec:
    """Reads and writes artifacts; one value, made with the kinds it knows.

    Args:
        kinds: Artifact classes beside the built-in ones.

    Raises:
        ValueError: A field is called `kind` or `context`, or two classes share a tag.
    """

    def __init__(self, *kinds: type[Artifact]) -> None:
        self._decoders: dict[str, Callable[[bytes | msgspec.Raw], Any]] = {}
        for kind in (*BUILTIN_KINDS, *kinds):
            self._add(kind)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds it knows, built-in ones first."""
        return tuple(self._decoders)

    def decode(self, raw: bytes | msgspec.Raw) -> Artifact:
        """Read one artifact, flat or in the original's `{kind, data}` form.

        A kind it does not know never fails: it becomes `Unknown`, with the
        bytes as they came, on one line.

        Raises:
            ValueError: It is no JSON object with a `kind`, or its fields do not fit.
        """
        head = _head(raw)
        decoder = self._decoders.get(head.kind)
        if decoder is None:
            return Unknown(name=head.kind, raw=bytes(raw).translate(_ONE_LINE))
        artifact: Artifact = decoder(_content(raw, head))
        return artifact

    def _add(self, kind: type[Artifact]) -> None:
        tag = tag_of(kind)
        names = {*kind.__struct_fields__, *kind.__struct_encode_fields__}
        taken = [name for name in _RESERVED if name in names]
        if taken:
            raise ValueError(f"{kind.__name__}: a field may not be called {taken[0]!r}; events carry it themselves")
        if tag in self._decoders:
            raise ValueError(f"{kind.__name__}: the kind {tag!r} is taken")
        self._decoders[tag] = msgspec.json.Decoder(kind).decode


class _Head(msgspec.Struct):
    kind: str
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_head = msgspec.json.Decoder(_Head).decode

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _content(raw: bytes | msgspec.Raw, head: _Head) -> bytes | msgspec.Raw:
    """What is inside the original's envelope, else `raw`."""
    if head.data is msgspec.UNSET or len(_fields(raw)) != 2:
        return raw
    try:
        return head.data if _head(head.data).kind == head.kind else raw
    except msgspec.MsgspecError:  # a field that is called data, such as an image's
        return raw


def encode(artifact: Artifact) -> bytes:
    """One JSON object, `{"kind": …, fields…}`; total, whatever the strings hold."""
    return artifact.raw if type(artifact) is Unknown else to_json(artifact)


def to_json(value: Any) -> bytes:
    """Any value of ours as JSON; a lone surrogate becomes U+FFFD instead of an error."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_cleaned(msgspec.to_builtins(value, str_keys=True, enc_hook=_made_before)))


def clean(text: str) -> str:
    """`text` without lone surrogates, which no provider and no store accepts."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _made_before(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return msgspec.json.decode(value)
    raise TypeError(f"expected a value that can be JSON, got {type(value).__name__}")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list | tuple) else value


CODEC: Final = Codec()
"""The built-in kinds."""
