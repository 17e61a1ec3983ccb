"""`OpenAIResponses`: the wire."""

from collections.abc import Mapping
from typing import Literal

from ore.errors import ProviderError
from ore.ext.wires.openai_responses.decoder import ResponsesDecoder
from ore.ext.wires.openai_responses.dialect import OPENAI, Dialect
from ore.ext.wires.openai_responses.failure import answer_failure
from ore.ext.wires.openai_responses.request import build
from ore.ext.wires.openai_responses.steering import max_tokens
from ore.ext.wires.wire import Ask, Decoder, WireRequest

__all__ = ["OpenAIResponses"]


class OpenAIResponses:
    """Responses, streamed, without any memory of the vendor's; see `ore.ext.wires.wire.Wire`.

    Nothing is stored there: each request holds the whole conversation, and
    reasoning goes back encrypted.

    Args:
        dialect: What the server takes.
        summaries: What is shown of the reasoning. The vendor gives summaries
            only to organisations that it has verified and refuses the request of
            others, so nothing by default.
    """

    __slots__ = ("_dialect", "_summaries")

    def __init__(
        self, dialect: Dialect = OPENAI, *, summaries: Literal["auto", "concise", "detailed"] | None = None
    ) -> None:
        self._dialect = dialect
        self._summaries = summaries

    @property
    def protocol(self) -> str:
        """`openai-responses`."""
        return "openai-responses"

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference."""
        return build(ask, self._dialect, summaries=self._summaries)

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask."""
        limit = None if self._dialect.trusts_status else max_tokens(ask)
        return ResponsesDecoder(ask.provider, ask.spec.name, limit)

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200."""
        return answer_failure(provider, status, headers, body)
