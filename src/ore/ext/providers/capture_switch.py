"""`CaptureSwitch`: writes single requests down, when somebody asks for it."""

import logging
from collections.abc import Mapping

from ore.errors import InputError
from ore.event import current_context
from ore.ext.providers.capture import Capturing
from ore.ext.providers.transport import Limits, Reply, Transport

__all__ = ["CaptureSwitch", "Switched"]

log = logging.getLogger(__name__)


class CaptureSwitch:
    """Writes the next request of a session down; providers are made with it, see `Access.of`.

    As long as nobody asks, requests pass as they are. Which session a request
    belongs to is said by the message that it is made in.
    """

    def __init__(self) -> None:
        self._armed: dict[str, str] = {}
        self._names: set[str] = set()

    def arm(self, session_id: str, path: str) -> None:
        """Have the session's next request and its answer in the file `path`; see `Capturing`."""
        self._armed[session_id] = path

    def around(self, transport: Transport) -> Transport:
        """The same transport, through the switch."""
        return Switched(transport, self)

    def serve(self, name: str) -> None:
        """Remember that the requests of a provider of this name pass through it."""
        self._names.add(name)

    def serves(self, name: str) -> bool:
        """Whether they do; else nothing of it can be written down."""
        return name in self._names

    def take(self, session_id: str | None) -> str | None:
        """Where the next request of a session goes, once."""
        return self._armed.pop(session_id, None) if session_id is not None else None


class Switched:
    """A transport through a switch; see `CaptureSwitch.around`."""

    def __init__(self, transport: Transport, switch: CaptureSwitch) -> None:
        self._transport = transport
        self.switch = switch

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Pass a request on; written down when somebody asked for that."""
        path = self.switch.take(current_context().thread_id)
        transport = self._transport if path is None else _capturing(self._transport, path)
        return await transport.post(url, body, headers, limits)


def _capturing(transport: Transport, path: str) -> Transport:
    try:
        return Capturing(transport, path)
    except InputError as error:  # the folder is gone by now: the answer matters more
        log.warning("%s", error)
        return transport
