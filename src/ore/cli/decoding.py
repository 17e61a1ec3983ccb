"""What `ore wire decode` does: the bytes of a recorded answer become artifacts."""

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final, NamedTuple

import msgspec

from ore.app.nearest import guess
from ore.artifact import Artifact, Blocks, Restart, encode, to_json
from ore.cli.output import Output
from ore.cli.recording import Readable, looks_like, opened
from ore.cli.status import DONE, Status
from ore.errors import ConnectionFailedError, ErrorInfo, InputError, ProtocolError, ProviderError, describe
from ore.ext.providers.capture import recorded_answer
from ore.ext.wires.wire import Ask, Wire
from ore.models import Spec

__all__ = ["PROTOCOLS", "Protocol", "decode"]

BLOCK_BYTES: Final = 1 << 16
"""What is read at once; where an answer is cut changes nothing."""


UNKNOWN: Final = "unknown"
"""The model in the tags of opaque data: a body does not always say which it was."""


class Protocol(NamedTuple):
    """Where the wire of a protocol is.

    Attributes:
        wire: Module and class, which is made without arguments.
        provider: Who speaks it; opaque data is tagged so.
    """

    wire: str
    provider: str


PROTOCOLS: Final[Mapping[str, Protocol]] = {
    "openai-chat": Protocol("ore.ext.wires.openai_chat:OpenAIChat", "openai"),
    "openai-responses": Protocol("ore.ext.wires.openai_responses:OpenAIResponses", "openai-responses"),
    "anthropic": Protocol("ore.ext.wires.anthropic:AnthropicMessages", "anthropic"),
    "gemini": Protocol("ore.ext.wires.gemini:Gemini", "google"),
    "ollama": Protocol("ore.ext.wires.ollama:Ollama", "ollama"),
}
"""One line for each."""

_CAPTURE: Final = re.compile(rb'\s*\{\s*"ore_capture"')
"""How a file of `--capture` begins."""


class _Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed."""

    artifacts: Sequence[msgspec.Raw]
    error: ErrorInfo | None


def decode(options: Namespace) -> Status:
    """Decode a recording, the body of an answer or a whole capture, and print it; 0 whatever it holds.

    Raises:
        InputError: There is no such protocol, or the file cannot be read.
    """
    protocol = _protocol(options.protocol)
    output = Output()
    show = _print_lines if options.deltas else _print_whole
    with opened(options.file) as body:
        show(_artifacts(options.protocol, protocol, body), output)
    return output.status(DONE)


def _print_whole(artifacts: Iterator[Artifact], output: Output) -> None:
    blocks = Blocks("wire", lambda artifact, block: None)
    error: Exception | None = None
    try:
        for artifact in artifacts:
            if type(artifact) is Restart:  # what came before is void
                blocks.restart()
            else:
                blocks.add(artifact)
    except ProviderError as raised:
        error = raised
    complete = [msgspec.Raw(encode(artifact)) for artifact in blocks.close()]
    error = error or blocks.fault
    output.json(to_json(_Decoded(artifacts=complete, error=describe(error) if error else None)))


def _print_lines(artifacts: Iterator[Artifact], output: Output) -> None:
    try:
        for artifact in artifacts:
            output.json(encode(artifact))
    except ProviderError as error:
        output.json(to_json({"kind": "error", **msgspec.to_builtins(describe(error))}))


def _artifacts(name: str, protocol: Protocol, body: Readable) -> Iterator[Artifact]:
    """What an answer holds, as it comes.

    Raises:
        ProviderError: It holds an error, or is none; of another protocol, the message says of which.
    """
    module, _, wire_class = protocol.wire.partition(":")
    wire: Wire = getattr(import_module(module), wire_class)()
    decoder = wire.decoder(Ask(turns=(), spec=Spec(name=UNKNOWN), provider=protocol.provider))
    head = b""
    try:
        for block in _blocks(wire, protocol.provider, body):
            head = head or block
            for batch in decoder.feed(block):
                yield from batch
        for batch in decoder.close():
            yield from batch
    except ProtocolError as error:
        error.args = (f"{error}{_hint(name, head)}",)
        raise


def _hint(name: str, head: bytes) -> str:
    """What an answer that cannot be read may be instead."""
    if head.startswith(b"HTTP/"):
        return "; it begins with the head of an HTTP answer, which does not belong to the body"
    found = looks_like(head)
    return f"; it looks like --protocol {found}" if found not in (None, name) else ""


def _blocks(wire: Wire, provider: str, body: Readable) -> Iterator[bytes]:
    """The body of the answer; out of a capture, when it stands in one."""
    block = body.read(BLOCK_BYTES)
    if not _CAPTURE.match(block):
        while block:
            yield block
            block = body.read(BLOCK_BYTES)
        return
    raw = block + body.read()
    found = recorded_answer(raw)
    if found is None or found.status == 200:
        yield raw if found is None else found.body
    elif found.status is None:
        said = found.end.get("message") if isinstance(found.end, Mapping) else None
        raise ConnectionFailedError(f"no answer was captured: {said or found.end}", provider=provider)
    else:
        raise wire.failure(provider, found.status, found.headers, found.body)


def _protocol(name: str) -> Protocol:
    if name not in PROTOCOLS:
        raise InputError(f"--protocol: expected one of {', '.join(PROTOCOLS)}, got {name!r}{guess(name, PROTOCOLS)}")
    return PROTOCOLS[name]
