"""`Recording`: a transport that makes a cassette."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path

from ore.errors import InputError
from ore.ext.providers.capture import Capturing
from ore.ext.providers.transport import Limits, Reply, Transport
from ore.ext.replay.protocols import protocol_of

__all__ = ["Recording"]


class Recording:
    """Does what another transport does, and keeps each request and its answer.

    A file for each request, `001-openai-chat.json` and so on, for the user
    alone and without keys; see `Capturing`. A folder that has some is gone on
    with.

    Args:
        transport: Who does the work.
        folder: The cassette; made when it is not there.

    Raises:
        InputError: There can be no such folder.
    """

    def __init__(self, transport: Transport, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cassette: expected a folder, got {str(folder)!r}: {error.strerror}") from None
        self._transport = transport
        self._folder = folder
        self._numbers = count(1 + len(list(folder.glob("[0-9]*-*.json"))))

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Post, and keep what comes of it."""
        name = f"{next(self._numbers):03}-{protocol_of(url) or 'other'}.json"
        return await Capturing(self._transport, str(self._folder / name)).post(url, body, headers, limits)
