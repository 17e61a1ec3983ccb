"""Cassettes: recorded requests and their answers, as files."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ore.artifact import Artifact, Blocks, to_json
from ore.errors import InputError, ProviderError, describe
from ore.ext.providers.capture import recorded_body
from ore.ext.replay.protocols import ENDINGS, protocol_of, wire_of
from ore.ext.wires.wire import Ask
from ore.models import Spec

__all__ = ["Exchange", "expectation", "read_cassette", "unpack"]

_BLOCK_BYTES = 4096


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


def expectation(protocol: str, body: bytes) -> bytes:
    """What a body holds, as JSON."""
    complete: list[Artifact] = []
    blocks = Blocks("turn", lambda artifact, block: None)
    error: ProviderError | None = None
    decoder = wire_of(protocol).decoder(Ask(turns=(), spec=Spec(), provider=protocol))
    try:
        for start in range(0, len(body), _BLOCK_BYTES):
            for batch in decoder.feed(body[start : start + _BLOCK_BYTES]):
                for artifact in batch:
                    blocks.add(artifact)
        for batch in decoder.close():
            for artifact in batch:
                blocks.add(artifact)
    except ProviderError as raised:
        error = raised
    complete += blocks.close() if error is None else blocks.cut()
    found = {"protocol": protocol, "artifacts": complete, "error": describe(error) if error else None}
    return msgspec.json.format(to_json(found), indent=1) + b"\n"


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
