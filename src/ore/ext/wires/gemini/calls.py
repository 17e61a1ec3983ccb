"""`Calls`: the calls of one answer, whole or in pieces."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from ore.artifact import Artifact, BlockEnd, ProviderData, TextDelta, ToolCall, ToolCallDelta
from ore.ext.wires.gemini.arguments import ArgumentsWriter
from ore.ext.wires.gemini.structs import Call, Part

__all__ = ["Calls"]

_NOTHING: Final[Sequence[Artifact]] = ()
_NONE: Final = (b"", b"null")
_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class _Open:
    """A call whose arguments still come."""

    __slots__ = ("index", "name", "signature", "writer")

    def __init__(self, index: int | None, name: str, signature: str) -> None:
        self.index = index
        """Its place among the calls; `None` for an answer in disguise."""
        self.name = name
        self.signature = signature
        self.writer = ArgumentsWriter()

    def text(self, arguments: str) -> Sequence[Artifact]:
        if not arguments:
            return _NOTHING
        if self.index is None:
            return [TextDelta(content=arguments)]
        return [ToolCallDelta(index=self.index, arguments=arguments)]


class Calls:
    """Gives calls ids where the vendor gives none, the same for all pieces and another for each call.

    Args:
        issuer: What signatures are tagged with.
        answer_tool: The tool whose call is an answer in disguise.
        names: The names of tools by what the vendor calls them, where that differs.
    """

    def __init__(self, issuer: Mapping[str, str], answer_tool: str | None, names: Mapping[str, str]) -> None:
        self._names = names
        self._issuer = issuer
        self._answer_tool = answer_tool
        self._count = 0
        self._open: _Open | None = None

    @property
    def any(self) -> bool:
        """Whether the answer calls tools."""
        return self._count > 0

    def take(self, part: Part) -> Sequence[Artifact]:
        """What a call, or a piece of one, says.

        Raises:
            ValueError: Its arguments are none, or do not fit together.
        """
        call = part.function_call
        if call is None:
            return _NOTHING
        signature = part.thought_signature or ""
        opened = self._open
        if opened is not None and call.name in (None, "", opened.name):
            opened.signature = opened.signature or signature
            return self._go_on(opened, call)
        rest = self.close(cut=False)
        if not call.name:  # the end of a call that had ended
            return rest
        if call.partial_args is None and not call.will_continue:
            return [*rest, *self._whole(call, call.name, signature)]
        return [*rest, *self._begin(call, call.name, signature)]

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        """End the call that is open; one that was cut stays as far as it came, and unsigned."""
        opened, self._open = self._open, None
        if opened is None:
            return _NOTHING
        if cut:
            return [BlockEnd()]
        return [*opened.text(opened.writer.close()), BlockEnd(provider_data=self._signed(opened))]

    def _whole(self, call: Call, name: str, signature: str) -> Sequence[Artifact]:
        raw = bytes(call.args)
        arguments = "{}" if raw in _NONE else raw.decode()
        if name == self._answer_tool:
            return [TextDelta(content=arguments)]
        self._count += 1
        signed = {**self._issuer, "signature": signature} if signature else None
        return [ToolCall(id=_id(call), name=self._names.get(name, name), arguments=arguments, provider_data=signed)]

    def _begin(self, call: Call, name: str, signature: str) -> Sequence[Artifact]:
        if name == self._answer_tool:
            self._open = _Open(None, name, "")
            return self._go_on(self._open, call)
        self._open = _Open(self._count, name, signature)
        self._count += 1
        first = ToolCallDelta(index=self._count - 1, id=_id(call), name=self._names.get(name, name))
        return [first, *self._go_on(self._open, call)]

    def _go_on(self, opened: _Open, call: Call) -> Sequence[Artifact]:
        texts = [opened.writer.put(piece) for piece in call.partial_args or ()]
        raw = bytes(call.args)
        if raw not in _NONE:
            texts += [opened.writer.put_member(name, value) for name, value in _members(raw).items()]
        out = [*opened.text("".join(texts))]
        return out if call.will_continue else [*out, *self.close(cut=False)]

    def _signed(self, opened: _Open) -> ProviderData | None:
        return (
            {**self._issuer, "signature": opened.signature} if opened.signature and opened.index is not None else None
        )


def _id(call: Call) -> str:
    return call.id or f"call_{secrets.token_hex(8)}"
