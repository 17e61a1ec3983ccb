"""`Endpoint`: a server that requests are posted to."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ore.ext.providers.address import Address
from ore.ext.providers.credentials import Credentials
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.providers.transport import Limits, Reply, Transport
from ore.ext.wires.wire import WireRequest

__all__ = ["Endpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a provider answers, and how it is reached.

    Attributes:
        clock: Seconds since 1970, for dates that the server names.
    """

    address: Address
    credentials: Credentials
    transport: Transport = field(default_factory=shared_transport)
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.time

    async def post(self, request: WireRequest) -> Reply:
        """Post what a wire made; see `Transport.post`."""
        headers = {"content-type": "application/json", **request.headers, **self.credentials.headers}
        return await self.transport.post(self.address.url(request.path), request.body, headers, self.limits)
