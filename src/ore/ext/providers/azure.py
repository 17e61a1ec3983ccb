"""`azure`: OpenAI's models in Azure."""

from collections.abc import AsyncGenerator
from typing import Final

from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Settings, Vendor, connect, in_header
from ore.ext.wires.openai_responses import AZURE, OpenAIResponses
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["VENDOR", "Azure", "make"]

VENDOR: Final = Vendor(
    name="azure",
    wire=lambda address: OpenAIResponses(AZURE),
    path="responses",
    base_url=None,
    key_variable="AZURE_OPENAI_API_KEY",
    base_url_variable="AZURE_OPENAI_ENDPOINT",
    key_header=in_header("api-key"),
    folder="openai/v1",
)
"""By "Azure OpenAI in Microsoft Foundry Models v1 API" and "Use the Azure OpenAI Responses API" (read 2026-11).

Its `v1` needs no `api-version`; a base URL may have one, such as
`?api-version=preview`. Models there that speak chat completions alone are
reached by `openai:DEPLOYMENT` with `https://RESOURCE.openai.azure.com/openai/v1`
as the base URL, which takes the key as OpenAI does.
"""


def make(settings: Settings) -> Provider:
    """The provider of `azure:DEPLOYMENT`.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL, or the file for a capture, is none.
    """
    return connect(VENDOR, Access.of(settings))


class Azure:
    """OpenAI's models in Azure, over Responses.

    A spec names the deployment. Requests that may pass are made again; for
    other limits and retries, `ore.ext.providers.vendor.connect` takes `VENDOR`.

    Args:
        api_key: By default what `AZURE_OPENAI_API_KEY` holds.
        base_url: By default what `AZURE_OPENAI_ENDPOINT` holds: the address of the
            resource, such as `https://RESOURCE.openai.azure.com`, with `/openai/v1` or without.
        name: The provider's name, in errors and for what is replayed to it.
        transport: The network; the process's shared one by default.

    Raises:
        AuthenticationError: There is no key.
        InputError: The base URL is none, or nobody named one.
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
