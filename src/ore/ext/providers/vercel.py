"""`vercel`: models of many vendors, by Vercel's AI gateway."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect
from ore.ext.wires.openai_chat import VERCEL, OpenAIChat
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "Vercel", "make"]

VENDOR: Final = Vendor(
    name="vercel",
    wire=lambda address: OpenAIChat(VERCEL),
    path="chat/completions",
    base_url="https://ai-gateway.vercel.sh/v1",
    key_variable="AI_GATEWAY_API_KEY",
)
"""By Vercel's "OpenAI-compatible API" and "Authentication" (read 2026-11)."""


def make(settings: Settings) -> Provider:
    """The provider of `vercel:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class Vercel:
    """Vercel's AI gateway; a model's name begins with its vendor, as in `openai/gpt-6-sol`.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `AI_GATEWAY_API_KEY` holds; a server on this machine needs none.
        base_url: By default Vercel's own.
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
