"""`google`: Google's Gemini."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect, in_header
from ore.ext.wires.gemini import Gemini
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "Google", "make"]

VENDOR: Final = Vendor(
    name="google",
    wire=lambda address: Gemini(),
    path="models",
    base_url="https://generativelanguage.googleapis.com/v1beta",
    key_variable="GEMINI_API_KEY",
    other_key_variable="GOOGLE_API_KEY",
    base_url_variable="GOOGLE_BASE_URL",
    key_header=in_header("x-goog-api-key"),
    folder="v1beta",
)
"""By "Using Gemini API keys" and "API versions explained" of the Gemini API's documentation (read 2026-11).

Of two keys Google's own libraries take `GOOGLE_API_KEY`; the other one is
meant for nothing else, and so comes first here.
"""


def make(settings: Settings) -> Provider:
    """The provider of `google:MODEL`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class Google:
    """Google's Gemini.

    Models are named in the spec. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `GEMINI_API_KEY` holds, else `GOOGLE_API_KEY`; a server on this machine needs none.
        base_url: By default what `GOOGLE_BASE_URL` holds, else Google's own; with
            a version such as `/v1beta` or without.
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
