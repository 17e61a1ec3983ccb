"""`ollama`: models that run in Ollama."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect
from ore.ext.wires.ollama import Ollama as Wire
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "Ollama", "make"]

VENDOR: Final = Vendor(
    name="ollama",
    wire=lambda address: Wire(),
    path="api/chat",
    base_url="http://127.0.0.1:11434",
    key_variable="OLLAMA_API_KEY",
    base_url_variable="OLLAMA_BASE_URL",
    folder="",
    needs_key=False,
)
"""By "Introduction" and "Authentication" of Ollama's API documentation (read 2026-11): only ollama.com wants a key."""


def make(settings: Settings) -> Provider:
    """The provider of `ollama:MODEL`.

    Raises:
        AuthenticationError: The key cannot be sent.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class Ollama:
    """Ollama, on this machine or another.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: For ollama.com, or for what stands before a server; by default what `OLLAMA_API_KEY` holds.
        base_url: By default what `OLLAMA_BASE_URL` holds, else port 11434 of this machine; `/api`
            and `/v1` at its end make no difference.
        name: The provider's name, in errors and for what is replayed to it.
        transport: The network; the process's shared one by default.

    Raises:
        AuthenticationError: The key cannot be sent.
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
