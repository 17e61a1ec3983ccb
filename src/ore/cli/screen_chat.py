"""`ore chat` on a terminal: the screen."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from ore.app import data_folder, live_sessions
from ore.cli.failures import run
from ore.cli.status import DONE, FAILED, Status, ended_by
from ore.cli.terminal import say
from ore.errors import InputError

if TYPE_CHECKING:
    from ore.ext.conduits.terminal import ScreenSettings, Shown

__all__ = ["chat"]


def chat(options: Namespace) -> Status:
    """Talk until somebody leaves; the session stays, and how to come back to it goes to standard error.

    Raises:
        OreError: It could not even begin.
    """
    try:
        import textual
    except ModuleNotFoundError as error:
        raise InputError("the screen is not installed: run `pip install 'ore-agents[tui]'`, or use --plain") from error
    del textual
    return run(_connected(options) if options.connect is not None else _chat(options))


async def _chat(options: Namespace) -> Status:
    from ore.cli.commanded import commanded_agents
    from ore.cli.serving import answerer_of
    from ore.ext.conduits.terminal import TerminalConduit

    agents = commanded_agents([options], Path.cwd())
    async with live_sessions(agents, store=options.store, answerer=answerer_of(options.approve)) as sessions:
        conduit = TerminalConduit(options.session, settings=_settings(options))
        await conduit.serve(sessions)
    return _status(conduit.shown)


async def _connected(options: Namespace) -> Status:
    from ore.ext.conduits.terminal import show
    from ore.ext.conduits.terminal.remote import RemoteLink

    if options.plain:
        raise InputError("--connect shows a screen and --plain shows none: expected one of them, got both")
    link = RemoteLink(options.connect, token=options.token)
    return _status(await show(link, options.session, _settings(options)))


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


def _status(shown: "Shown") -> Status:
    if shown.crash is not None:
        say(f"ore: the screen failed ({type(shown.crash).__name__}); nothing of the session is lost")
    if shown.place:
        say(f"ore: the session is kept: {shown.place}")
    if shown.crash is not None:
        return FAILED
    return DONE if shown.signal is None else ended_by(shown.signal)
