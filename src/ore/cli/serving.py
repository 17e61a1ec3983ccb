"""What `ore serve` does: serve until somebody ends it, then let what runs come to its end."""

import asyncio
import logging
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ore._extras import install_line
from ore.app import Agent, ConduitSettings, conduit_by_name, data_folder, live_sessions
from ore.cli.commanded import commanded_agents
from ore.cli.failures import run
from ore.cli.status import DONE, INTERRUPTED, Status
from ore.cli.terminal import say
from ore.errors import InputError
from ore.event import Answer, Question
from ore.session import Answerer, Conduit, Host, Manager

__all__ = ["answerer_of", "serve"]


def serve(options: Namespace) -> Status:
    """Serve until SIGTERM, 0 then, or until SIGINT.

    Raises:
        InputError: An option is not what was expected, nothing can listen
            there, a token is missing, or the web server is not installed.
        OreError: An agent cannot be made, or the store not be used.
    """
    try:
        return run(_serve(options))
    except KeyboardInterrupt:  # where signals cannot be taken over
        return INTERRUPTED


async def _serve(options: Namespace) -> Status:
    agents = _agents(options)
    conduits = [_conduit(name, port, options) for name, port in options.conduit or [("http", None)]]
    if options.access_log:
        _log_accesses()
    with _Ending().listening() as ending:
        async with live_sessions(agents, store=options.store, answerer=answerer_of(options.approve)) as sessions:
            if options.session is not None:
                await sessions.open(options.session)
            task = asyncio.ensure_future(_host(sessions, conduits).run())
            ending.of(task)
            await asyncio.wait((task,))
            if not task.cancelled():
                task.result()
    return ending.status


def _agents(options: Namespace) -> Sequence[Agent]:
    """The agents of the options, one where none is named; what commands write stays in the data folder."""
    named = options.agent or [os.environ.get("ORE_AGENT") or None]
    calls = [Namespace(**{**vars(options), "agent": name}) for name in dict.fromkeys(named)]
    return commanded_agents(calls, data_folder() / "exports")


def _host(sessions: Manager, conduits: Sequence[Conduit]) -> Host:
    host = Host(sessions)
    for conduit in conduits:
        host.add(conduit)
    return host


def _conduit(name: str, port: int | None, options: Namespace) -> Conduit:
    """A conduit by its name, at a port of its own or at that of the options."""
    port = options.port if port is None else port
    if name == "http":
        return _http(port, options)
    return conduit_by_name(
        name,
        ConduitSettings(host=options.host, port=port, token=options.token, drain_s=options.drain_s, listening=say),
    )


def _http(port: int, options: Namespace) -> Conduit:
    try:
        from ore.ext.conduits.http import HttpConduit, HttpOptions
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "ore":
            raise
        raise InputError(f"the web server is not installed: run `{install_line('http')}`") from error
    return HttpConduit(
        host=options.host,
        port=port,
        options=HttpOptions(
            token=options.token,
            hosts=options.allow_host,
            origins=options.allow_origin,
            ui=not options.no_ui,
            access_log=options.access_log,
        ),
        drain_s=options.drain_s,
        listening=say,
    )


def answerer_of(mode: str) -> Answerer | None:
    """Who answers before the people who watch: nobody, or what the options say."""
    if mode == "ask":
        return None

    async def answer(question: Question) -> Answer:
        if question.purpose != "approval":
            await asyncio.get_running_loop().create_future()  # only people know; cancelled when one has answered
        if mode == "always":
            return Answer(key=question.key, decision="approve")
        return Answer(key=question.key, decision="deny", reason="the user approves nothing (--approve never)")

    return answer


def _log_accesses() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger = logging.getLogger("ore.http.access")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


class _Ending:
    """Ends the serving at the first signal, and the process at the second."""

    def __init__(self) -> None:
        self.status = DONE
        self._signals = 0
        self._task: asyncio.Future[None] | None = None

    @contextmanager
    def listening(self) -> Iterator["_Ending"]:
        """Take signals over, also where whoever started the command had them ignored."""
        loop = asyncio.get_running_loop()
        endings = {signal.SIGTERM: DONE, signal.SIGINT: INTERRUPTED}
        try:
            for number, status in endings.items():
                loop.add_signal_handler(number, self._end, status)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            yield self
            return
        try:
            yield self
        finally:
            for number in endings:
                loop.remove_signal_handler(number)

    def of(self, task: "asyncio.Future[None]") -> None:
        """What is ended."""
        self._task = task
        if self._signals:
            task.cancel()

    def _end(self, status: Status) -> None:
        self._signals += 1
        self.status = status
        if self._signals > 1:
            os._exit(status)
        if self._task is not None:
            say("ore: stopping; running messages go on at the next start")
            self._task.cancel()
