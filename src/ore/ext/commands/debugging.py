"""`/debug request`: the next request, as it goes over the network."""

import asyncio
from pathlib import Path
from typing import Final

from ore.ext.commands.files import free_path
from ore.ext.commands.invocation import CommandHandler, Invocation
from ore.ext.providers.capture_switch import CaptureSwitch
from ore.session import answering

__all__ = ["debug"]

_HERE: Final = frozenset({"local", "scripted"})
"""Providers that send nothing over a network."""


def debug(capture: CaptureSwitch | None, folder: Path | None) -> CommandHandler:
    """Make the command.

    Args:
        capture: Through which the session's providers were made; without one nothing can be written down.
        folder: Where files go.
    """

    async def arm(invocation: Invocation) -> None:
        """Have the next request and its answer written down, without their secrets."""
        if invocation.words != ["request"]:
            invocation.usage("request")
            return
        found = answering(invocation.stream)
        if found.provider.name in _HERE:
            invocation.say(f"{found.provider.name} sends nothing over a network: there is no request to write down")
            return
        if capture is None or folder is None:
            invocation.say("no request can be written down here; use: ore run --capture FILE")
            return
        if not capture.serves(found.provider.name):
            invocation.say(
                f"{found.provider.name} was not made by this command but brought along: its requests go past ore, "
                "and none can be written down"
            )
            return
        path = await asyncio.to_thread(free_path, folder, f"ore-request-{invocation.stream.id}", "json")
        capture.arm(invocation.stream.id, str(path))
        invocation.say(f"the next request and its answer will be in {path}, without keys; `ore wire decode` reads it")

    return arm
