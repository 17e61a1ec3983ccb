"""`Commands`: slash commands, as an interceptor."""

import logging
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

import msgspec

from ore.artifact import Notice, Severity, Text
from ore.errors import OreError
from ore.event import UserMessage, content_of
from ore.ext.commands.invocation import CommandHandler, Invocation
from ore.ext.commands.parsing import Typed, escaped, typed
from ore.session import Intercepted, Stream

__all__ = ["Bound", "Commands"]

log = logging.getLogger(__name__)

_QUOTED_CHARACTERS: Final = 200


class Bound(NamedTuple):
    """What a command does.

    Attributes:
        description: One line for the list.
        handler: Does it.
    """

    description: str
    handler: CommandHandler


class Commands:
    """Takes messages that begin with `/` and a name for commands; no model ever gets one.

    A path such as `/etc/hosts`, and whatever else is no name, is a message like
    any other. So is what begins with `//`, without the first slash. A name
    that nobody bound gets a notice with the nearest one, and what was typed.
    Commands take their turn like other messages: they queue, steer, and are
    cancelled like them. For any number of sessions; `/help` is there already.
    """

    def __init__(self) -> None:
        self._bound: dict[str, Bound] = {}
        self.bind("help", "what commands there are", self._help)

    @property
    def bound(self) -> Mapping[str, Bound]:
        """The commands by name, sorted."""
        return dict(sorted(self._bound.items()))

    def bind(self, name: str, description: str, handler: CommandHandler) -> None:
        """Add a command; one of the same name is replaced.

        Raises:
            ValueError: Nobody could type that name.
        """
        if typed(f"/{name}") != Typed(name, ""):
            raise ValueError(f"expected a name of letters, digits, - and _, got {name!r}")
        self._bound[name] = Bound(description, handler)

    async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
        """Let the message pass, or do what it says."""
        content = content_of(message.content)
        first = content[0]
        if not isinstance(first, Text):
            return Intercepted(message=message)
        plain = escaped(first.content)
        if plain is not None:
            changed = (msgspec.structs.replace(first, content=plain), *content[1:])
            return Intercepted(message=msgspec.structs.replace(message, content=changed))
        command = typed(first.content)
        if command is None or (len(content) > 1 and command.name not in self._bound):
            return Intercepted(message=message)
        if len(content) > 1:
            return _only(f"/{command.name} takes no attachments: nothing was done and nothing was sent", Severity.WARN)
        bound = self._bound.get(command.name)
        if bound is None:
            return _only(self._unknown(command.name, first.content))
        return await _run(Invocation(stream, command.name, command.text), bound.handler)

    async def _help(self, invocation: Invocation) -> None:
        lines = [f"- /{name}: {bound.description}" for name, bound in self.bound.items()]
        invocation.say("\n".join([*lines, "A message that begins with // is sent, with one slash."]))

    def _unknown(self, name: str, text: str) -> str:
        near = get_close_matches(name, self._bound, n=1)
        guess = f"did you mean /{near[0]}?" if near else "/help lists those that there are."
        wrote = " ".join(text.split())
        shown = wrote if len(wrote) <= _QUOTED_CHARACTERS else f"{wrote[: _QUOTED_CHARACTERS - 1]}…"
        return f"there is no command /{name}; {guess} To send it as text, begin with //. Nothing was sent: {shown}"


async def _run(invocation: Invocation, handler: CommandHandler) -> Intercepted:
    message: UserMessage | None = None
    try:
        message = await handler(invocation)
    except Exception as error:
        if not isinstance(error, OreError):
            log.exception("command /%s failed", invocation.name)
        if not invocation.notices:
            said = str(error) if isinstance(error, OreError) else f"{type(error).__name__}: {error}"
            invocation.say(f"/{invocation.name}: {said}", Severity.ERROR)
    return Intercepted(message=message, notices=invocation.notices)


def _only(text: str, severity: Severity = Severity.INFO) -> Intercepted:
    return Intercepted(message=None, notices=(Notice(content=text, severity=severity),))
