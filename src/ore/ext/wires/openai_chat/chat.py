"""`OpenAIChat`: the wire."""

from collections.abc import Mapping

from ore.errors import ProviderError
from ore.ext.wires.openai_chat.decoder import ChatDecoder
from ore.ext.wires.openai_chat.dialect import OPENAI, Dialect
from ore.ext.wires.openai_chat.failure import http_error
from ore.ext.wires.openai_chat.request import answer_tool, build
from ore.ext.wires.wire import Ask, Decoder, WireRequest

__all__ = ["OpenAIChat"]


class OpenAIChat:
    """Chat completions, streamed; see `ore.ext.wires.wire.Wire`.

    Args:
        dialect: What the server takes.
    """

    __slots__ = ("_dialect",)

    def __init__(self, dialect: Dialect = OPENAI) -> None:
        self._dialect = dialect

    @property
    def protocol(self) -> str:
        """`openai-chat`."""
        return "openai-chat"

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference."""
        return build(ask, self._dialect)

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask."""
        answer = answer_tool(ask, self._dialect)
        return ChatDecoder(ask.provider, ask.spec.name, answer.name if answer is not None else None)

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200."""
        return http_error(provider, status, headers, body)
