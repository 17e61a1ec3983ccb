"""`RecordedRequest`: a request that says how it was asked, so that the same can be asked again."""

from aiohttp import ClientRequest, ClientResponse
from aiohttp.connector import Connection

from ore.ext.providers.asked import Asked
from ore.ext.providers.patient_response import PatientResponse

__all__ = ["RecordedRequest"]


class RecordedRequest(ClientRequest):
    """Leaves with the response what was sent before the body, unless a proxy was asked."""

    async def send(self, conn: Connection) -> ClientResponse:
        """Send it; see aiohttp's own."""
        response = await super().send(conn)
        if isinstance(response, PatientResponse) and self.proxy is None and not self.chunked:
            response.asked = Asked(self.connection_key, self._head())
        return response

    def _head(self) -> bytes:
        lines = [f"{self.method} {self.url.raw_path_qs} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers.items() if name.lower() != "content-length"]
        return "\r\n".join((*lines, "Content-Length: ")).encode()
