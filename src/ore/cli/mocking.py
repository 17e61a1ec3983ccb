"""What `ore mock` does: play a script until somebody ends it."""

import asyncio
import signal
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ore.cli.failures import run
from ore.cli.status import DONE, Status
from ore.cli.terminal import say
from ore.ext.mock import MockServer

__all__ = ["serve_mock"]

_ENDINGS: Final = (signal.SIGINT, signal.SIGTERM)


def serve_mock(options: Namespace) -> Status:
    """Listen, say where, and serve until SIGINT or SIGTERM; 0 then.

    Raises:
        InputError: The script cannot be read, or the port not be listened on.
    """
    try:
        return run(_serve(options))
    except KeyboardInterrupt:  # where signals cannot be taken over
        return DONE


async def _serve(options: Namespace) -> Status:
    server = MockServer(options.script, vendor=options.vendor, api_key=options.api_key, port=options.port)
    ended = asyncio.Event()
    with _told(ended):
        async with server:
            say(f"listening on {server.url}")
            await ended.wait()
    return DONE


@contextmanager
def _told(ended: asyncio.Event) -> Iterator[None]:
    """Let signals end the serving, also where whoever started the command had them ignored."""
    loop = asyncio.get_running_loop()
    try:
        for number in _ENDINGS:
            loop.add_signal_handler(number, ended.set)
    except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        yield
        return
    try:
        yield
    finally:
        for number in _ENDINGS:
            loop.remove_signal_handler(number)
