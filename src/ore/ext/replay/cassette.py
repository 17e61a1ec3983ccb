"""Cassettes: recorded requests and their answers, as files."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Blocks, Restart, ToolCall, to_json
from ore.errors import InputError, ProviderError, describe
from ore.ext.providers.capture import recorded_body
from ore.ext.replay.matching import difference
from ore.ext.replay.protocols import ENDINGS, decoder_of, protocol_of

__all__ = ["Exchange", "check_cassette", "expectation", "read_cassette", "unpack"]

_BLOCK_BYTES: Final = 4096

_MADE_UP: Final = re.compile("call_[0-9a-f]{16,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One recorded request and what came of it.

    Attributes:
        name: Of its file, without the ending.
        url: Without secrets.
        request: The body, as JSON.
        status: HTTP status; `None` when no answer came.
        headers: Of the answer.
        body: Of the answer.
        failure: The error object of an answer that broke, or of a request without one.
    """

    name: str
    url: str
    request: Any
    status: int | None
    headers: Mapping[str, str]
    body: bytes
    failure: Mapping[str, Any] | None

    @property
    def protocol(self) -> str | None:
        """Which protocol it speaks."""
        return protocol_of(self.url)


def read_cassette(folder: Path) -> Sequence[Exchange]:
    """The exchanges of a folder, in order; none when there is no folder.

    Raises:
        InputError: A file in it is no capture.
    """
    files = sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json"))
    return [_read(path) for path in files]


def unpack(folder: Path) -> Sequence[Path]:
    """Put the body of each answer, and what a reader has to make of it, beside its capture.

    `NNN-name.sse` (or `.ndjson`) and `NNN-name.expected.json`, with the object
    that `ore wire decode` prints and the protocol. What is there already is
    not touched, so that a result once mended by hand stays.

    Returns:
        The files that were made.

    Raises:
        InputError: A file is no capture.
    """
    made: list[Path] = []
    for exchange in read_cassette(folder):
        protocol = exchange.protocol
        if protocol is None or exchange.status != 200:
            continue
        for path, content in (
            (folder / f"{exchange.name}.{ENDINGS[protocol]}", exchange.body),
            (folder / f"{exchange.name}.expected.json", expectation(protocol, exchange.body)),
        ):
            if not path.exists():
                _write(path, content)
                made.append(path)
    return made


def check_cassette(folder: Path) -> None:
    """Fail a test where the answers of a cassette are not read as is expected of them.

    Each body is read as a whole and byte by byte, and compared with the
    `.expected.json` beside it, so a bug report is a test once that says what is
    right; see `unpack`.

    Raises:
        AssertionError: An answer is read in another way; the message names the
            file and the place, and shows no content. Or there is nothing to compare.
        InputError: A file is no capture.
    """
    compared = 0
    for exchange in read_cassette(folder):
        path = folder / f"{exchange.name}.expected.json"
        if exchange.protocol is None or not path.exists():
            continue
        compared += 1
        expected = json.loads(path.read_bytes())
        for block_bytes in (len(exchange.body) or 1, 1):
            found = json.loads(expectation(exchange.protocol, exchange.body, block_bytes=block_bytes))
            if found != expected:
                raise AssertionError(f"{path.name}: expected something else at {difference(expected, found)}")
    if not compared:
        raise AssertionError(f"cassette {folder}: expected a file that ends in .expected.json, got none")


def expectation(protocol: str, body: bytes, *, block_bytes: int = _BLOCK_BYTES) -> bytes:
    """What a body holds, as JSON.

    Calls that the vendor gave no id have one of their number, the same each time.

    Args:
        protocol: How the body is read.
        body: Of the answer.
        block_bytes: How much of it is read at a time, which changes nothing.
    """
    blocks = Blocks("turn", lambda artifact, block: None)
    error: ProviderError | None = None
    try:
        for artifact in _artifacts(protocol, body, block_bytes):
            if type(artifact) is Restart:  # what came before is void
                blocks.restart()
            else:
                blocks.add(artifact)
    except ProviderError as raised:
        error = raised
    complete = blocks.close() if error is None else blocks.cut()
    found = {"protocol": protocol, "artifacts": _numbered(complete), "error": describe(error) if error else None}
    return msgspec.json.format(to_json(found), indent=1) + b"\n"


def _artifacts(protocol: str, body: bytes, block_bytes: int) -> Iterator[Artifact]:
    decoder = decoder_of(protocol)
    for start in range(0, len(body), block_bytes):
        for batch in decoder.feed(body[start : start + block_bytes]):
            yield from batch
    for batch in decoder.close():
        yield from batch


def _numbered(artifacts: Sequence[Artifact]) -> Sequence[Artifact]:
    """The artifacts with numbers for ids that the wire made up, as it does anew each time."""
    numbers = count(1)
    return [
        msgspec.structs.replace(artifact, id=f"call_{next(numbers)}")
        if isinstance(artifact, ToolCall) and _MADE_UP.fullmatch(artifact.id)
        else artifact
        for artifact in artifacts
    ]


def _read(path: Path) -> Exchange:
    raw = path.read_bytes()
    try:
        value = json.loads(raw)
        request, response, end = value["request"], value["response"], value["end"]
        return Exchange(
            name=path.stem,
            url=request["url"],
            request=request["body"],
            status=response["status"] if response else None,
            headers=response["headers"] if response else {},
            body=recorded_body(raw) if response else b"",
            failure=end if isinstance(end, dict) else None,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: expected a capture, as `ore run --capture` writes it: {error!r}") from None


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
