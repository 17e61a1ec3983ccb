"""`openai-responses`: OpenAI's Responses, and any server that speaks like it."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.address import Address
from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect
from ore.ext.wires.openai_responses import AZURE, COMPATIBLE, OPENAI
from ore.ext.wires.openai_responses import OpenAIResponses as Wire
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "OpenAIResponses", "make"]

_AZURE_DOMAINS: Final = ("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com")


def _wire(address: Address) -> Wire:
    if address.is_under("openai.com"):
        return Wire(OPENAI)
    return Wire(AZURE if any(address.is_under(domain) for domain in _AZURE_DOMAINS) else COMPATIBLE)


VENDOR: Final = Vendor(
    name="openai-responses",
    wire=_wire,
    path="responses",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    base_url_variable="OPENAI_BASE_URL",
)
"""By OpenAI's API reference, "Authentication" (read 2026-11)."""


def make(settings: Settings) -> Provider:
    """The provider of `openai-responses:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class OpenAIResponses:
    """OpenAI, or with a `base_url` any server that speaks like it, over Responses.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `OPENAI_API_KEY` holds; a server on this machine needs none.
        base_url: By default what `OPENAI_BASE_URL` holds, else OpenAI's own; with
            `/v1` or without.
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
