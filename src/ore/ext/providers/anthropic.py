"""`anthropic`: Anthropic's messages, and servers that speak like it."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.address import Address
from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect, own_header
from ore.ext.wires.anthropic import ANTHROPIC, GATEWAY, AnthropicMessages
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "Anthropic", "make"]


def _wire(address: Address) -> AnthropicMessages:
    return AnthropicMessages(ANTHROPIC if address.is_under("anthropic.com") else GATEWAY)


VENDOR: Final = Vendor(
    name="anthropic",
    wire=_wire,
    path="messages",
    base_url="https://api.anthropic.com/v1",
    key_variable="ANTHROPIC_API_KEY",
    base_url_variable="ANTHROPIC_BASE_URL",
    key_header=own_header,
)
"""By Anthropic's API reference, "Authentication" (read 2026-11)."""


def make(settings: Settings) -> Provider:
    """The provider of `anthropic:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class Anthropic:
    """Anthropic, or with a `base_url` any server that speaks like it.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `ANTHROPIC_API_KEY` holds; a server on this machine needs none.
        base_url: By default what `ANTHROPIC_BASE_URL` holds, else Anthropic's
            own; with `/v1` or without.
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
