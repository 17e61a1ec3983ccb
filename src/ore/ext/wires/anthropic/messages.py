"""`AnthropicMessages`: the wire of Anthropic's messages."""

from collections.abc import Mapping

from ore.errors import ProviderError
from ore.ext.wires.anthropic.claude import claude
from ore.ext.wires.anthropic.decoder import AnthropicDecoder
from ore.ext.wires.anthropic.dialect import ANTHROPIC, Dialect
from ore.ext.wires.anthropic.failure import answer_failure
from ore.ext.wires.anthropic.request import build
from ore.ext.wires.anthropic.tools import answer_tool
from ore.ext.wires.wire import Ask, Decoder, WireRequest
from ore.provider import OutputOption, option, tools_of

__all__ = ["AnthropicMessages"]


class AnthropicMessages:
    """Anthropic's protocol, for the vendor itself and for those who copy it.

    Args:
        dialect: What the server takes.
    """

    def __init__(self, dialect: Dialect = ANTHROPIC) -> None:
        self._dialect = dialect

    @property
    def protocol(self) -> str:
        """`anthropic`."""
        return "anthropic"

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference; see `Wire.request`.

        Raises:
            UnsupportedError: The model cannot take something that was asked for.
            BadRequestError: It cannot be sent.
        """
        return build(ask, self._dialect)

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask."""
        name = ask.spec.name or ""
        tool = answer_tool(option(ask.options, OutputOption), tools_of(ask.options), claude(name))
        return AnthropicDecoder(provider=ask.provider, model=name, answer_tool=None if tool is None else tool.name)

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200; see `Wire.failure`."""
        return answer_failure(provider, status, headers, body)
