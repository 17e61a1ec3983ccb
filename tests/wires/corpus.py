"""Recorded answers with their right results, and what a decoder made of them.

The recordings stand beside the project, in `shared/corpora/wire`; without them
the tests that need them are skipped.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from ore.artifact import Artifact, Blocks, Reasoning, ServerTool, StopReason, Text, ToolCall, Usage
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.wire import Ask, Decoder
from ore.ledger import Role, Turn
from ore.models import Spec
from ore.provider import BATCH_LIMIT

FOLDER: Final = Path(__file__).resolve().parents[2].parent / "shared" / "corpora" / "wire"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One recorded answer.

    Attributes:
        name: Folder and file, without an ending.
        body: As a client would read it.
        expected: What the corpus says that it holds.
    """

    name: str
    protocol: str
    body: bytes
    expected: Mapping[str, Any]

    @property
    def parts(self) -> Sequence[Mapping[str, Any]]:
        """The parts of the only answer, or of choice 0, without empty text that nobody signed."""
        found: Sequence[Mapping[str, Any]] = self._answer["parts"]
        return [part for part in found if part["kind"] != "text" or part["text"] or part.get("signature")]

    @property
    def finish(self) -> str | None:
        """Why it stopped, in the vendor's words."""
        reason: str | None = self._answer["finish_reason"]
        return reason

    @property
    def finished(self) -> bool:
        """Whether it ended as it should: with a reason, or in the other ways that count."""
        marked = self.expected.get("done_marker") or self.expected.get("terminated")
        return self.expected["error"] is None and (self.finish is not None or bool(marked))

    @property
    def _answer(self) -> Mapping[str, Any]:
        choices = self.expected.get("choices")
        return choices[0] if choices else self.expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a decoder made of a body.

    Attributes:
        stream: What it yielded, fragments too, in order.
        sizes: How many artifacts each batch had.
        artifacts: What the fragments fold into, with all else that was complete.
        error: What it raised.
    """

    stream: Sequence[Artifact]
    sizes: Sequence[int]
    artifacts: Sequence[Artifact]
    error: ProviderError | None

    def of(self, kind: type[Artifact]) -> list[Any]:
        """The complete artifacts of one class."""
        return [artifact for artifact in self.artifacts if type(artifact) is kind]


def transcripts(protocol: str) -> Sequence[Transcript]:
    """All recordings of a protocol, by name; none where there is no corpus."""
    found = []
    for path in sorted(FOLDER.glob("*/*.expected.json")):
        expected = json.loads(path.read_text())
        if expected["protocol"] == protocol:
            stem = path.name.removesuffix(".expected.json")
            body = next(file for file in path.parent.glob(f"{stem}.*") if file != path)
            name = f"{path.parent.name}/{stem}"
            found.append(Transcript(name=name, protocol=protocol, body=body.read_bytes(), expected=expected))
    return found


def recordings(protocol: str) -> list[Any]:
    """Parameters for a test, one for each recording; a skip where there is no corpus."""
    found = [pytest.param(transcript, id=transcript.name) for transcript in transcripts(protocol)]
    missing = pytest.mark.skip(reason=f"the corpus is not there: {FOLDER.parent.name}/{FOLDER.name}")
    return found or [pytest.param(None, marks=missing, id="no-corpus")]


def recording(name: str) -> Transcript:
    """One recording by its name; skips the test where there is no corpus."""
    path = FOLDER / f"{name}.expected.json"
    if not path.exists():
        pytest.skip(f"the corpus is not there: {FOLDER.parent.name}/{FOLDER.name}")
    protocol = json.loads(path.read_text())["protocol"]
    return next(transcript for transcript in transcripts(protocol) if transcript.name == name)


def an_ask(*turns: Turn, provider: str = "vendor", model: str = "model", **more: Any) -> Ask:
    """What was asked when an answer is all that matters."""
    said = turns or (Turn(id="u", role=Role.USER, artifacts=(Text(content="Hello."),)),)
    return Ask(turns=said, spec=Spec(name=model), provider=provider, **more)


def bytewise(body: bytes) -> Iterator[bytes]:
    """One byte at a time."""
    return (body[place : place + 1] for place in range(len(body)))


def cut(body: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """The pieces between places, which are in any order and may repeat; empty pieces too."""
    borders = [0, *sorted(min(place, len(body)) for place in places), len(body)]
    return (body[one:other] for one, other in pairwise(borders))


def frame_ends(body: bytes) -> Sequence[int]:
    """Where events end: the places behind each blank line."""
    ends = [place + 2 for place in range(len(body)) if body.startswith(b"\n\n", place)]
    return ends + [place + 4 for place in range(len(body)) if body.startswith(b"\r\n\r\n", place)]


def decode(decoder: Decoder, blocks: Iterable[bytes]) -> Outcome:
    """Feed all blocks, close, and fold what came; an error ends it and is kept."""
    stream: list[Artifact] = []
    sizes: list[int] = []
    error: ProviderError | None = None
    try:
        for batch in _batches(decoder, blocks):
            stream += batch
            sizes.append(len(batch))
    except ProviderError as raised:
        error = raised
    return Outcome(stream=stream, sizes=sizes, artifacts=folded(stream), error=error)


def folded(stream: Iterable[Artifact]) -> Sequence[Artifact]:
    """What the fragments make, as a pipeline folds them; half calls too."""
    blocks = Blocks("turn", lambda artifact, block: None)
    for artifact in stream:
        blocks.add(artifact)
    artifacts = blocks.close()
    assert blocks.fault is None
    return artifacts


def check(transcript: Transcript, outcome: Outcome) -> None:
    """Assert that an outcome is what the corpus says: parts, ending, usage, error, sizes of batches."""
    content = [artifact for artifact in outcome.artifacts if not isinstance(artifact, StopReason | Usage)]
    for artifact, part in zip(content, transcript.parts, strict=True):
        _check_part(artifact, part)
    _check_ending(transcript, outcome)
    assert all(0 < size <= BATCH_LIMIT for size in outcome.sizes)
    expected = transcript.expected["error"]
    if expected is not None:
        assert isinstance(outcome.error, ProviderError)
        assert not isinstance(outcome.error, ProtocolError)
    elif transcript.finished:
        assert outcome.error is None
    else:
        assert isinstance(outcome.error, ProtocolError)


def _batches(decoder: Decoder, blocks: Iterable[bytes]) -> Iterator[Sequence[Artifact]]:
    for block in blocks:
        yield from decoder.feed(block)
    yield from decoder.close()


def _check_part(artifact: Artifact, part: Mapping[str, Any]) -> None:
    match part["kind"]:
        case "text" | "refusal":
            assert isinstance(artifact, Text)
            assert artifact.content == part["text"]
        case "reasoning":
            assert isinstance(artifact, Reasoning)
            assert artifact.content == part["text"]
            if part.get("signature"):
                assert (artifact.provider_data or {})["signature"] == part["signature"]
        case "redacted_reasoning":
            assert isinstance(artifact, Reasoning)
            assert (artifact.content, artifact.provider_data is None) == ("", False)
        case "tool_call":
            assert isinstance(artifact, ToolCall)
            assert artifact.name == part["name"]
            assert artifact.id == part["id"] if part["id"] else artifact.id
            assert artifact.arguments == part["arguments_text"]
        case "server_tool_call" | "opaque":
            assert isinstance(artifact, ServerTool)
            assert artifact.provider_data is not None
        case kind:
            raise AssertionError(f"a part that nothing here compares: {kind!r}")


_REASONS: Final[Mapping[str, str]] = {
    **{"stop": "stop", "length": "length", "tool_calls": "tool_use", "content_filter": "refusal"},
    **{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_use", "refusal": "refusal"},
}
"""What the finish reasons in the corpus mean."""


def _check_ending(transcript: Transcript, outcome: Outcome) -> None:
    """The reason where there was one, then the usage where there was one, each once and last."""
    reasons: list[Artifact] = []
    if transcript.finish is not None or transcript.finished:
        kinds = {part["kind"] for part in transcript.parts}
        silent = "tool_use" if "tool_call" in kinds else "stop"
        reason = "refusal" if "refusal" in kinds else _REASONS[transcript.finish] if transcript.finish else silent
        reasons = [StopReason(reason=reason)]  # type: ignore[arg-type]  # one of the literals
    usage = _usage(transcript.expected["usage"])
    endings = [artifact for artifact in outcome.artifacts if isinstance(artifact, StopReason | Usage)]
    assert endings == reasons + ([usage] if usage else [])
    assert list(outcome.artifacts[len(outcome.artifacts) - len(endings) :]) == endings


def _usage(counts: Mapping[str, Any] | None) -> Usage | None:
    """The vendor's counts with one meaning."""
    if counts is None:
        return None
    details = (counts.get("prompt_tokens_details") or {}) | (counts.get("completion_tokens_details") or {})
    if "prompt_tokens" in counts:
        return Usage(
            prompt_tokens=counts["prompt_tokens"],
            completion_tokens=counts["completion_tokens"],
            total_tokens=counts["total_tokens"],
            cache_read_tokens=counts.get("cache_read_input_tokens", details.get("cached_tokens")),
            cache_write_tokens=counts.get("cache_creation_input_tokens"),
            reasoning_tokens=details.get("reasoning_tokens"),
        )
    read, written = counts.get("cache_read_input_tokens"), counts.get("cache_creation_input_tokens")
    prompt = counts["input_tokens"] + (read or 0) + (written or 0)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=counts["output_tokens"],
        total_tokens=prompt + counts["output_tokens"],
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
