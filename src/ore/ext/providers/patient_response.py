"""`PatientResponse`: waits for the head of an answer, and no longer than is allowed."""

from typing import TYPE_CHECKING

from aiohttp import ClientResponse
from aiohttp.http_exceptions import HttpProcessingError

from ore.ext.providers.asked import Asked
from ore.ext.providers.small_reads import small_reads

if TYPE_CHECKING:
    from aiohttp.connector import Connection

__all__ = ["PatientResponse"]


class PatientResponse(ClientResponse):
    """An answer whose limit of silence holds behind an HTTP 1xx as well.

    aiohttp drops its limit when such a head has been read (3.14: a message
    without a body ends its timer), and would wait for the real one for ever.
    """

    asked: Asked | None = None
    """How it was asked, where the same can be asked again."""

    async def start(self, connection: "Connection") -> ClientResponse:
        """Wait for the head of the answer; see aiohttp's own."""
        protocol = connection.protocol
        small_reads(connection.transport)
        while protocol is not None:
            try:
                message, payload = await protocol.read()
            except HttpProcessingError:  # raised again in there, with what it belongs to
                break
            if 100 <= message.code < 200 and message.code != 101:
                protocol.start_timeout()
                continue
            protocol.feed_data((message, payload))
            break
        return await super().start(connection)
