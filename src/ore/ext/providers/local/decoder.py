"""Decoders: the text of an answer, cut anywhere, to artifacts as soon as they can be seen."""

import json
import re
import secrets
from collections.abc import Sequence
from typing import Final, Protocol

from ore.artifact import Artifact, TextDelta, ToolCallDelta, clean
from ore.ext.providers.local.choice import ANSWER

__all__ = ["ChoiceDecoder", "Decoder", "TextDecoder"]

_CALL: Final = re.compile(r'\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\S)')
_ANSWER: Final = re.compile(rf'\s*\{{\s*"{ANSWER}"\s*:\s*(?=\S)')
_CHARACTERS: Final = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_HALF_PAIR: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class Decoder(Protocol):
    """Reads one answer."""

    @property
    def called(self) -> bool:
        """Whether a call began."""
        ...

    def add(self, text: str) -> Sequence[Artifact]:
        """Take the next piece."""
        ...

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        """Give what was held back.

        Args:
            cut: The answer ended before the model was done.
        """
        ...


class TextDecoder:
    """Text is text."""

    called = False

    def add(self, text: str) -> Sequence[Artifact]:
        """Each piece at once."""
        return (TextDelta(content=text),) if text else ()

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        """Nothing is held back."""
        return ()


class ChoiceDecoder:
    """Reads the union of `choice_schema`: a call, or an answer that is text or JSON.

    Args:
        text: Whether the answer is text, so that it is unquoted as it comes.
    """

    def __init__(self, *, text: bool) -> None:
        self._text = text
        self._inner: _Value | _String | None = None
        self._head = ""

    @property
    def called(self) -> bool:
        """Whether the model called rather than answered."""
        return isinstance(self._inner, _Value) and self._inner.call

    def add(self, text: str) -> Sequence[Artifact]:
        """Nothing until it is clear what this is, then each piece."""
        if self._inner is not None:
            return self._inner.add(text)
        self._head += text  # a few tokens long
        call = _CALL.match(self._head)
        if call is not None:
            self._inner = _Value(call=True)
            begin = ToolCallDelta(index=0, id=f"call_{secrets.token_hex(8)}", name=json.loads(call[1]))
            return (begin, *self._inner.add(self._head[call.end() :]))
        answer = _ANSWER.match(self._head)
        if answer is None:
            return ()
        rest = self._head[answer.end() :]
        self._inner = _String() if self._text else _Value(call=False)
        return self._inner.add(rest[1:] if self._text else rest)

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        """Give what was held back; an answer that never got as far as its value has none."""
        return self._inner.close(cut=cut) if self._inner is not None else ()


class _Value:
    """The JSON value in an object's last place, as it stands there.

    The braces at the end of what came so far may be the object's own: they
    wait for what follows.
    """

    def __init__(self, *, call: bool) -> None:
        self.call = call
        self._held = ""

    def add(self, text: str) -> Sequence[Artifact]:
        text = self._held + text
        sure = text.rstrip(" \t\r\n}")
        self._held = text[len(sure) :]
        return self._piece(sure)

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        held = self._held.rstrip()
        return self._piece(held if cut else held.removesuffix("}").rstrip())

    def _piece(self, text: str) -> Sequence[Artifact]:
        if not text:
            return ()
        return (ToolCallDelta(index=0, arguments=text) if self.call else TextDelta(content=text),)


class _String:
    """The inside of a JSON string, unquoted; an escape waits until it is whole."""

    def __init__(self) -> None:
        self._held = ""
        self._ended = False

    def add(self, text: str) -> Sequence[Artifact]:
        if self._ended:
            return ()
        text = self._held + text
        match = _CHARACTERS.match(text)
        sure, rest = (match[0], text[match.end() :]) if match is not None else ("", text)
        self._ended = rest.startswith('"')
        half = None if self._ended else _HALF_PAIR.search(sure)
        if half is not None:
            sure, rest = sure[: half.start()], sure[half.start() :] + rest
        self._held = rest
        content = clean(json.loads(f'"{sure}"', strict=False))
        return (TextDelta(content=content),) if content else ()

    def close(self, *, cut: bool) -> Sequence[Artifact]:
        return ()
