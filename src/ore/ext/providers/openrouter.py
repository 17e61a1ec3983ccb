"""`openrouter`: models of many vendors, by OpenRouter."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect
from ore.ext.wires.openai_chat import OPENROUTER, OpenAIChat
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "OpenRouter", "make"]

VENDOR: Final = Vendor(
    name="openrouter",
    wire=lambda address: OpenAIChat(OPENROUTER),
    path="chat/completions",
    base_url="https://openrouter.ai/api/v1",
    key_variable="OPENROUTER_API_KEY",
)
"""By OpenRouter's "API reference" and "Authentication" (read 2026-11).

Chat completions: the protocol in which it documents its parameters, and the
thinking of every vendor's models.
"""


def make(settings: Settings) -> Provider:
    """The provider of `openrouter:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class OpenRouter:
    """OpenRouter; a model's name begins with its vendor, as in `anthropic/claude-sonnet-5-5`.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `OPENROUTER_API_KEY` holds; a server on this machine needs none.
        base_url: By default OpenRouter's own.
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
