"""A wire as simple as one can be: a JSON artifact on each line, and `end` on the last.

For tests of what stands between any wire and the network.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ore.artifact import Notice, StopReason, TextDelta, Usage, to_json
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    RateLimitError,
)
from ore.ext.wires.wire import Ask, Decoder, WireRequest
from ore.provider import Batch, MaxTokensOption, option

PATH = "plain/talk"

_STATUS: Mapping[int, type[ProviderError]] = {
    401: AuthenticationError,
    404: ModelNotFoundError,
    413: ContextOverflowError,
    429: RateLimitError,
    503: OverloadedError,
}


class PlainWire:
    """The wire."""

    protocol = "plain"

    def __init__(self, *notices: Notice, headers: Mapping[str, str] | None = None) -> None:
        self.notices = notices
        self.headers = headers or {}

    def request(self, ask: Ask) -> WireRequest:
        if ask.spec.top_k is not None and not ask.lenient:
            raise BadRequestError("top_k: not here")
        limit = option(ask.options, MaxTokensOption)
        body: dict[str, Any] = {"model": ask.spec.name, "said": len(ask.turns), "session": ask.session}
        if limit is not None and limit.tokens > 0:
            body["limit"] = limit.tokens
        return WireRequest(path=PATH, body=to_json(body), headers=self.headers, notices=self.notices)

    def decoder(self, ask: Ask) -> Decoder:
        return _PlainDecoder()

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        kind = _STATUS.get(status, BadRequestError)
        return kind(f"status {status}: {body.decode(errors='replace')}", provider=provider, status=status)


class _PlainDecoder:
    def __init__(self) -> None:
        self._rest = b""
        self._ended = False

    def feed(self, block: bytes) -> Iterator[Batch]:
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            if line == b"end":
                self._ended = True
            elif line.startswith(b"error "):
                raise OverloadedError(line.decode())
            else:
                yield (_fragment(line),)

    def close(self) -> Iterator[Batch]:
        if not self._ended:
            raise ProtocolError("expected `end`, got the end")
        yield (StopReason(reason="stop"), Usage(prompt_tokens=7, completion_tokens=3))


def _fragment(text: bytes) -> TextDelta:
    try:
        return TextDelta(content=json.loads(text))
    except ValueError:
        raise ProtocolError("expected JSON on each line, got something else") from None


def line(text: str) -> bytes:
    """A fragment, as a server of this protocol sends it."""
    return json.dumps(text).encode() + b"\n"


END = b"end\n"
