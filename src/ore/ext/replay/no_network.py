"""`NoNetwork`: a transport that refuses everything."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from ore.errors import InputError
from ore.ext.providers.address import is_loopback
from ore.ext.providers.transport import Limits, Reply, Transport

__all__ = ["NoNetwork"]


class NoNetwork:
    """Refuses requests by name, so that no test asks, or pays, a real server by accident.

    Args:
        loopback: Who does requests to this machine; refused as well without one.
    """

    def __init__(self, loopback: Transport | None = None) -> None:
        self.loopback = loopback
        """Who does requests to this machine."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Refuse it, unless it is for this machine.

        Raises:
            InputError: It is a real request.
        """
        host = urlsplit(url).hostname or ""
        if self.loopback is not None and is_loopback(host):
            return await self.loopback.post(url, body, headers, limits)
        raise InputError(
            f"a test asked {host}, and real requests are forbidden here: "
            "use the fixture `cassette`, or mark the test with `real_requests`"
        )
