"""What `ore wire decode` does: the bytes of a recorded answer become artifacts."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import BinaryIO, Final, NamedTuple

import msgspec

from ore.artifact import Artifact, Blocks, Restart, encode, to_json
from ore.cli.output import Output
from ore.cli.status import DONE, Status
from ore.errors import ErrorInfo, InputError, ProviderError, describe
from ore.ext.wires.wire import Ask, Decoder, Wire
from ore.models import Spec

__all__ = ["PROTOCOLS", "Protocol", "decode"]

BLOCK_BYTES: Final = 1 << 16
"""What is read at once; where an answer is cut changes nothing."""


class Protocol(NamedTuple):
    """Where the wire of a protocol is.

    Attributes:
        wire: Module and class, which is made without arguments.
        provider: Who speaks it; opaque data is tagged so.
    """

    wire: str
    provider: str


PROTOCOLS: Final[Mapping[str, Protocol | None]] = {
    "openai-chat": Protocol("ore.ext.wires.openai_chat:OpenAIChat", "openai"),
    "openai-responses": None,
    "anthropic": Protocol("ore.ext.wires.anthropic:AnthropicMessages", "anthropic"),
    "gemini": None,
    "ollama": None,
}
"""One line for each; `None` where the wire is still to come."""


class _Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed."""

    artifacts: Sequence[msgspec.Raw]
    error: ErrorInfo | None


def decode(options: Namespace) -> Status:
    """Decode a recording and print it; 0 whatever it holds.

    Raises:
        InputError: There is no such protocol, or the file cannot be read.
    """
    decoder = _decoder(options.protocol)
    output = Output()
    show = _print_lines if options.deltas else _print_whole
    with _opened(options.file) as body:
        show(decoder, body, output)
    return output.status(DONE)


def _print_whole(decoder: Decoder, body: BinaryIO, output: Output) -> None:
    blocks = Blocks("wire", lambda artifact, block: None)
    error: Exception | None = None
    try:
        for artifact in _artifacts(decoder, body):
            if type(artifact) is Restart:  # what came before is void
                blocks.restart()
            else:
                blocks.add(artifact)
    except ProviderError as raised:
        error = raised
    artifacts = [msgspec.Raw(encode(artifact)) for artifact in blocks.close()]
    error = error or blocks.fault
    output.json(to_json(_Decoded(artifacts=artifacts, error=describe(error) if error else None)))


def _print_lines(decoder: Decoder, body: BinaryIO, output: Output) -> None:
    try:
        for artifact in _artifacts(decoder, body):
            output.json(encode(artifact))
    except ProviderError as error:
        output.json(to_json({"kind": "error", **msgspec.to_builtins(describe(error))}))


def _artifacts(decoder: Decoder, body: BinaryIO) -> Iterator[Artifact]:
    while block := body.read(BLOCK_BYTES):
        for batch in decoder.feed(block):
            yield from batch
    for batch in decoder.close():
        yield from batch


def _decoder(name: str) -> Decoder:
    if name not in PROTOCOLS:
        raise InputError(f"--protocol: expected one of {', '.join(PROTOCOLS)}, got {name!r}")
    protocol = PROTOCOLS[name]
    if protocol is None:
        ready = [known for known, found in PROTOCOLS.items() if found]
        raise InputError(f"--protocol: {name} cannot be decoded yet; expected one of {', '.join(ready)}")
    module, _, wire_class = protocol.wire.partition(":")
    wire: Wire = getattr(import_module(module), wire_class)()
    return wire.decoder(Ask(turns=(), spec=Spec(), provider=protocol.provider))


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """The file of a name, or standard input.

    Raises:
        InputError: It cannot be read.
    """
    try:
        if name == "-":
            if sys.stdin is None:
                raise InputError("expected the body of an answer on standard input, which is closed")
            yield sys.stdin.buffer
            return
        with open(name, "rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{name!r} cannot be read: {error.strerror or error}") from None
