"""`minimax`: MiniMax's models."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect, own_header
from ore.ext.wires.anthropic import GATEWAY, AnthropicMessages
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "MiniMax", "make"]

VENDOR: Final = Vendor(
    name="minimax",
    wire=lambda address: AnthropicMessages(GATEWAY),
    path="messages",
    base_url="https://api.minimax.io/anthropic",
    key_variable="MINIMAX_API_KEY",
    key_header=own_header,
)
"""By MiniMax's "Compatible Anthropic API" (read 2026-11).

The protocol in which it takes its own thinking back; over chat completions
most of its models mix that with the text.
"""


def make(settings: Settings) -> Provider:
    """The provider of `minimax:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class MiniMax:
    """MiniMax.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `MINIMAX_API_KEY` holds; a server on this machine needs none.
        base_url: By default MiniMax's own for everywhere but China, whose is
            `https://api.minimaxi.com/anthropic`.
        name: The provider's name, in errors and for what is replayed to it.
        transport: The network; the process's shared one by default.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL is none.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        name: str = VENDOR.name,
        transport: Transport | None = None,
    ) -> None:
        access = Access(name=name, api_key=api_key, base_url=base_url, transport=transport)
        self._provider = connect(VENDOR, access)

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._provider.name

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer; see `Provider.invoke`."""
        return self._provider.invoke(state, spec, *options)
