"""`Answer`: what the chunks of one answer amount to, one after the other."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import (
    Artifact,
    Audio,
    BlockEnd,
    File,
    Image,
    ProviderData,
    Reasoning,
    ReasoningDelta,
    ServerTool,
    Text,
    TextDelta,
)
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.gemini.calls import Calls
from ore.ext.wires.gemini.ending import blocked, ending
from ore.ext.wires.gemini.failure import stream_failure
from ore.ext.wires.gemini.structs import NOTHING, Blob, Candidate, Chunk, Counts, Part, raw_parts
from ore.ext.wires.gemini.usage import usage_of
from ore.ext.wires.halves import Halves
from ore.ext.wires.unread import Unread

__all__ = ["Answer"]

_NOTHING: Final[Sequence[Artifact]] = ()

_METADATA: Final = {
    "grounding_metadata": "groundingMetadata",
    "citation_metadata": "citationMetadata",
    "url_context_metadata": "urlContextMetadata",
}

_FRAGMENTS: Final[Mapping[str, type[TextDelta] | type[ReasoningDelta]]] = {
    "text": TextDelta,
    "reasoning": ReasoningDelta,
}

_SUMMARY_CHARACTERS: Final = 200
"""What people see of what the vendor ran."""


class Answer:
    """The state of one answer.

    A part that carries a signature ends there, since only as it stands does it
    go back. What the vendor says about its sources goes to the text that it
    stands with. The last counts hold: they are no sums.

    The end of the body ends it, not a `finishReason`. By "Candidate" of Vertex
    AI's reference (read 2026-12) the model goes on only while there is none; but
    Gemini itself has sent `STOP` in every chunk (BerriAI/litellm 2195, 2024), and
    servers that translate put it into chunks before the text
    (router-for-me/CLIProxyAPI 5651, 2026). So what comes behind one belongs to
    the answer, and the last one holds.

    Args:
        provider: Who answers.
        model: Which model; opaque data is tagged with both.
        answer_tool: The tool whose call is the answer's text; `None` without one.
        names: The names of tools by what the vendor calls them, where that differs.
    """

    def __init__(self, provider: str, model: str, answer_tool: str | None, names: Mapping[str, str]) -> None:
        self._provider = provider
        self._issuer: Final = {"provider": provider, "model": model}
        self._calls = Calls(self._issuer, answer_tool, names)
        self._family = ""
        self._metadata: dict[str, Any] = {}
        self.counts: Counts | None = None
        """The tokens so far."""
        self._finish = ""
        self._begun = False
        self._has_content = False
        self._has_spoken = False
        self._unread = Unread(provider)
        self._halves = Halves()
        self.open = ""
        """What nothing but is open, `text` or `reasoning`, so that more of it simply goes on it."""
        self.told: Any = None
        """What the server itself says of a failure inside the answer; see `told`."""
        self.fault: ProviderError | None = None
        """What went wrong, once what came before it was yielded."""

    @property
    def ended(self) -> bool:
        """Whether it said why it stopped."""
        return bool(self._finish)

    def take(self, chunk: Chunk, data: bytes) -> Sequence[Artifact]:
        """What a chunk says.

        Args:
            chunk: The chunk.
            data: Its bytes, for parts of kinds that nobody here knows.
        """
        self._begun = True
        counts = chunk.usage_metadata
        if counts is not None and (counts.prompt_token_count is not None or counts.total_token_count is not None):
            self.counts = counts
        if chunk.error is not None:
            self.told = chunk.error
            return self._fail(stream_failure(self._provider, chunk.error))
        reason = chunk.prompt_feedback.block_reason if chunk.prompt_feedback is not None else None
        if reason:
            return self._fail(blocked(self._provider, reason, "the prompt"))
        candidate = next((one for one in chunk.candidates or () if not one.index), None)
        said = _NOTHING if candidate is None else self._candidate(candidate, data)
        if not self._has_spoken:
            self._unread.add(data)
            self._has_spoken = bool(said)
        return said

    def break_off(self, got: str) -> None:
        """The answer breaks the protocol; nothing more is read of it."""
        self.fault = ProtocolError(
            f"expected chunks of a generateContent answer, got {got}; is the base URL that of the Gemini API?",
            provider=self._provider,
        )

    def close(self) -> Sequence[Artifact]:
        """What is due when no chunk comes any more; `fault` tells when the answer had not ended."""
        if self.fault is not None:
            return _NOTHING
        if not self._finish:
            said = "the answer broke off: it never said why it stopped; what came of it is kept"
            empty = "expected an answer, got an empty one; try again"
            return self._fail(ProtocolError(said if self._begun else empty, provider=self._provider))
        reason = ending(self._provider, self._finish, has_calls=self._calls.any, has_content=self._has_content)
        if isinstance(reason, ProviderError):
            return self._fail(reason)
        cut = reason.reason == "length"
        rest = [*self._rest(), *self._calls.close(cut=cut), *self._sources()]
        self.fault = None if rest or self._has_spoken else self._unread.fault()
        return [*rest, reason, *self._usage()]

    def _fail(self, error: ProviderError) -> Sequence[Artifact]:
        """The answer ends with an error; what it cost is said first."""
        self.fault = error
        return [*self._rest(), *self._calls.close(cut=True), *self._usage()]

    def _usage(self) -> Sequence[Artifact]:
        return _NOTHING if self.counts is None else [usage_of(self.counts)]

    def _candidate(self, candidate: Candidate, data: bytes) -> Sequence[Artifact]:
        for field, name in _METADATA.items():
            raw = getattr(candidate, field)
            if raw is not NOTHING and bytes(raw) != b"null":
                self._metadata[name] = msgspec.json.decode(raw)
        self._finish = candidate.finish_reason or self._finish
        parts = candidate.content.parts if candidate.content is not None else None
        out: list[Artifact] = []
        for place, part in enumerate(parts or ()):
            out += self._part(part, data, place)
            if self.fault is not None:
                break
        return out

    def _part(self, part: Part, data: bytes, place: int) -> Sequence[Artifact]:
        if part.function_call is not None:
            return self._call(part)
        if part.text is not None:
            return self._words(part.text, part)
        blob = part.inline_data or part.file_data
        if blob is not None:
            return self._media(blob, part)
        return self._opaque(bytes(raw_parts(data)[place]), part)

    def _words(self, words: str, part: Part) -> Sequence[Artifact]:
        """Text or thinking, and where its vendor signed it."""
        family = "reasoning" if part.thought else "text"
        out: list[Artifact] = []
        if words:
            out += [*self._calls.close(cut=False), *self._enter(family)]
            if sound := self._halves.join(family, words):
                out.append(_FRAGMENTS[family](content=sound))
            self.open = "" if self._halves else family
        if not part.thought_signature:
            return out
        out += self._rest()
        signed = self._signed(part.thought_signature, family)
        if self._family == family:
            out.append(BlockEnd(provider_data=signed))
        else:
            out.append(
                Reasoning(content="", provider_data=signed) if part.thought else Text(content="", provider_data=signed)
            )
        self._enter("")
        return out

    def _rest(self) -> Sequence[Artifact]:
        """Half a character whose other half did not come."""
        rest = self._halves.rest(self._family)
        return [_FRAGMENTS[self._family](content=rest)] if rest else _NOTHING

    def _call(self, part: Part) -> Sequence[Artifact]:
        self._has_content = True
        rest = self._rest()
        try:
            out = self._calls.take(part)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors too
            self.break_off(f"arguments of a call that do not fit together: {error}")
            return [*rest, *self._usage()]
        self._enter("text" if out and type(out[-1]) is TextDelta else "")
        return [*rest, *out]

    def _media(self, blob: Blob, part: Part) -> Sequence[Artifact]:
        """Something made; drafts from a model's thinking are none of its answer."""
        if part.thought:
            return _NOTHING
        made = self._made(blob)
        if made is None:
            return _NOTHING
        out = [*self._rest(), *self._calls.close(cut=False), made]
        if part.thought_signature:
            signed = self._signed(part.thought_signature, "")
            out.append(ServerTool(name=f"{made.kind}_signature", provider_data={**signed, "signs": made.kind}))
        self._enter("")
        self._has_content = True
        return out

    def _made(self, blob: Blob) -> Artifact | None:
        media_type = blob.mime_type or ""
        kind = next((kind for begin, kind in _KINDS.items() if media_type.startswith(begin)), File)
        if blob.data is None:
            return kind(media_type=blob.mime_type, url=blob.file_uri) if blob.file_uri else None
        try:
            data = base64.b64decode(blob.data, validate=True)
        except (binascii.Error, ValueError):
            self.break_off("bytes that are no base64")
            return None
        return kind(media_type=blob.mime_type, data=data, size_bytes=len(data))

    def _opaque(self, raw: bytes, part: Part) -> Sequence[Artifact]:
        """What the vendor ran itself, kept as it stands; a signature alone signs what came before it."""
        found: dict[str, Any] = msgspec.json.decode(raw)
        name = next((name for name in found if name not in _BESIDE), None)
        if name is None:
            return self._words("", part)
        rest = self._enter("")
        self._has_content = True
        kept: ProviderData = {**self._issuer, "part": raw.decode()}
        return [
            *rest,
            *self._calls.close(cut=False),
            ServerTool(name=_NAMES.get(name, name), summary=_summary(found[name]), provider_data=kept),
        ]

    def _signed(self, signature: str, family: str) -> ProviderData:
        metadata = self._metadata if family == "text" else {}
        if family == "text":
            self._metadata = {}
        return {**self._issuer, "signature": signature, **metadata}

    def _sources(self) -> Sequence[Artifact]:
        """What was said about sources and has no place yet."""
        if not self._metadata:
            return _NOTHING
        kept = {**self._issuer, **self._metadata}
        if self._family == "text":
            return [BlockEnd(provider_data=kept)]
        return [ServerTool(name="sources", provider_data=kept)]

    def _enter(self, family: str) -> Sequence[Artifact]:
        """What is said from here on; gives what was left of what was said before."""
        rest = _NOTHING if family == self._family else self._rest()
        self._family, self.open = family, ""
        self._has_content = self._has_content or bool(family)
        return rest


_KINDS: Final[Mapping[str, type[Image] | type[Audio] | type[File]]] = {"image/": Image, "audio/": Audio}

_NAMES: Final = {"executableCode": "code_execution", "codeExecutionResult": "code_execution"}

_BESIDE: Final = frozenset(("text", "thought", "thoughtSignature", "partMetadata"))


def _summary(value: Any) -> str | None:
    """The code that ran, or what came of it."""
    found = (value.get("code") or value.get("output")) if isinstance(value, dict) else None
    return found[:_SUMMARY_CHARACTERS] if isinstance(found, str) and found else None
