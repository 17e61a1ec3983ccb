"""`ore chat` on a terminal: the screen."""

import sys
from argparse import Action, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ore._aio import finish
from ore._extras import install_line
from ore.app import data_folder, live_sessions
from ore.cli.coming_back import way_back
from ore.cli.failures import run
from ore.cli.progress import Progress
from ore.cli.status import DONE, FAILED, Status, ended_by
from ore.cli.terminal import is_terminal, say
from ore.errors import InputError
from ore.ledger import MemoryStore

if TYPE_CHECKING:
    from ore.ext.conduits.terminal import Link, ScreenSettings, Shown

__all__ = ["chat"]


def chat(arguments: Sequence[Action], options: Namespace) -> Status:
    """Talk until somebody leaves; the session stays, and how to come back to it goes to standard error.

    Args:
        arguments: What the command takes.
        options: What was given of it.

    Raises:
        OreError: It could not even begin.
    """
    try:
        import textual
    except ModuleNotFoundError as error:
        remedy = f"run `{install_line('tui')}`, or use --plain"
        raise InputError(f"the screen is not installed: {remedy}") from error
    del textual
    return run(_talk(arguments, options))


async def _talk(arguments: Sequence[Action], options: Namespace) -> Status:
    shown, is_kept = await (_connected(options) if options.connect is not None else _chat(options))
    if shown.crash is not None:
        kept = "; nothing of the session is lost" * is_kept
        say(f"ore: the screen failed ({type(shown.crash).__name__}){kept}")
    if shown.session_id is not None and is_kept:
        line, unsaid = way_back(arguments, options, shown.session_id)
        secrets = f"; with {' and '.join(unsaid)} as before" if unsaid else ""
        say(f"ore: the session is kept{secrets}: {line}")
    if shown.crash is not None:
        return FAILED
    return DONE if shown.signal is None else ended_by(shown.signal)


async def _chat(options: Namespace) -> "tuple[Shown, bool]":
    """How the screen ended, and whether the session outlasts it."""
    from ore.cli.commanded import commanded_agents
    from ore.cli.serving import answerer_of
    from ore.ext.conduits.terminal import TerminalConduit

    agents = commanded_agents([options], Path.cwd())
    async with live_sessions(agents, store=options.store, answerer=answerer_of(options.approve)) as sessions:
        conduit = TerminalConduit(options.session, settings=_settings(options))
        await conduit.serve(sessions)
        return conduit.shown, not isinstance(sessions.store, MemoryStore)


async def _connected(options: Namespace) -> "tuple[Shown, bool]":
    from ore.ext.conduits.terminal import show
    from ore.ext.conduits.terminal.remote import RemoteLink

    if options.plain:
        raise InputError("--connect shows a screen and --plain shows none: expected one of them, got both")
    link = RemoteLink(options.connect, token=options.token)
    if is_terminal(sys.stdin) and is_terminal(sys.stderr):
        await _reached(link, options)
    return await show(link, options.session, _settings(options)), True


async def _reached(link: "Link", options: Namespace) -> None:
    """Reach the server, and say so where that takes its time."""
    try:
        with Progress(f"reaching {options.connect}"):
            await link.open(options.session)
        options.session = link.session_id
    except BaseException:
        await finish(link.aclose())
        raise


def _settings(options: Namespace) -> "ScreenSettings":
    from ore.ext.conduits.terminal import PromptHistory, ScreenSettings
    from ore.ext.conduits.terminal.surroundings import folder_line

    folder = Path.cwd()
    return ScreenSettings(
        palette=options.theme,
        folder=folder,
        folder_line=folder_line(folder),
        prompts=PromptHistory(data_folder() / "prompts.jsonl"),
    )
