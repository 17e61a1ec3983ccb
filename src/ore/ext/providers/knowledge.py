"""`Knowledge`: what the catalog knows of a provider's models, before a request and behind it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from typing import Final

from ore.artifact import Media, Notice
from ore.ext.catalog import Catalog, Finding, Target, estimated_tokens, fitted, priced, shared_catalog
from ore.ext.catalog.preflight import WORDS, asked_for, said, too_long, unknown
from ore.ext.catalog.target import wanted
from ore.ext.wires.encoded import keep_of_tools
from ore.ext.wires.omissions import Omissions, leave_media
from ore.ext.wires.wire import Ask
from ore.ledger import Role, Turn
from ore.provider import Batch, OutputOption, WithTools, option, tools_of

__all__ = ["Knowledge"]

_MODELS: Final = 256
"""Models whose figures are held."""

_TOLD_BY_WIRES: Final = frozenset({"tools", "temperature", "thinking_level"})
"""Findings that are left to wires, which know better what a model takes beside what, or are dealt with here."""


class Knowledge:
    """Looks at what a model is about to be asked, and prices what it used.

    Of a model that nobody lists nothing is known: it is asked as it is. One
    object serves any number of event loops and threads.

    Args:
        name: The provider's registered name.
        vendor: Whose models these are.
        base_url: Where they are asked.
        catalog: Other figures than those of the package.
    """

    def __init__(self, *, name: str, vendor: str, base_url: str, catalog: Catalog | None = None) -> None:
        self._name = name
        self._vendor = vendor
        self._base_url = base_url
        self._catalog = catalog or shared_catalog()
        self._models: dict[tuple[str, bool], _Known] = {}

    def pricing(self, model: str) -> Callable[[Batch], Batch]:
        """Puts what an inference cost on the usage in a batch; see `priced`."""
        return partial(priced, provider=self._vendor, model=model, base_url=self._base_url, catalog=self._catalog)

    def look(self, ask: Ask) -> tuple[Ask, Sequence[Notice]]:
        """The ask as the model can take it, and what people should know about that.

        In the place of media that the model is known to refuse stands a line
        of text. Each thing is told once in a conversation for each model, so
        a change of model in the middle of it says what is left out from there
        on. Turns that were looked at before are not looked at again.

        Raises:
            UnsupportedError: The model is known to call no tools and some are
                offered, or to refuse media that were sent just now; where the
                ask is lenient they are left out.
        """
        if not ask.spec.name:
            return ask, ()
        known = self._known(ask.spec.name, lenient=ask.lenient)
        target = known.target
        if not ask.lenient:
            _refuse_media(ask, target)
        key = ("knowledge", target.name)
        looked = ask.encoded.get(key)
        if looked is None:
            looked = ask.encoded[key] = _Looked()
        ask, notices = _offered(ask, target, looked)
        turns = ask.turns
        head = next((place for place, turn in enumerate(turns) if turn.role is not Role.SYSTEM), len(turns))
        new = looked.take(turns[head:], target)
        found = (
            *known.unknown,
            *said(new, target),
            *known.asked_for(ask),
            *too_long(_tokens(ask, head, looked, target), ask.spec, ask.options, target),
        )
        told = [finding.notice() for finding in found if looked.is_news(finding)] if found else ()
        first = turns[:head]
        can_take = fitted(first, target) if head else first
        if looked.is_fitted or can_take is not first:
            ask = replace(ask, turns=[*can_take, *looked.fitted])
        return ask, (*notices, *told)

    def _known(self, model: str, *, lenient: bool) -> "_Known":
        known = self._models.get((model, lenient))
        if known is None:
            info = self._catalog.find(self._vendor, model, base_url=self._base_url)
            known = _Known(Target(provider=self._name, model=model, info=info, lenient=lenient))
            if len(self._models) >= _MODELS:
                self._models.clear()
            self._models[model, lenient] = known
        return known


class _Known:
    """One model, and what is found of it again and again."""

    __slots__ = ("_asked", "target", "unknown")

    def __init__(self, target: Target) -> None:
        self.target = target
        self.unknown = unknown(target)
        self._asked: dict[object, Sequence[Finding]] = {}

    def asked_for(self, ask: Ask) -> Sequence[Finding]:
        """What it does not take of what is asked for."""
        if isinstance(ask.spec.stop_sequences, list):  # which has no hash; somebody knows no types
            return asked_for(ask.spec, ask.options, self.target)
        key = (ask.spec, len(tools_of(ask.options)), option(ask.options, OutputOption) is None)
        found = self._asked.get(key)
        if found is None:
            if len(self._asked) >= _MODELS:
                self._asked.clear()
            found = self._asked[key] = asked_for(ask.spec, ask.options, self.target)
        return found


class _Looked:
    """What one conversation held when it was last looked at for one model.

    Attributes:
        turns: Those behind the system's first ones.
        fitted: The same as the model can take them; the same objects each time, so that what was encoded holds.
        tokens: About as many as `turns` have.
        told: What people know already.
    """

    __slots__ = ("fitted", "is_fitted", "tokens", "told", "turns")

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.fitted: list[Turn] = []
        self.is_fitted = False
        self.tokens = 0
        self.told: set[object] = set()

    def take(self, turns: Sequence[Turn], target: Target) -> Sequence[Turn]:
        """Look at what is new; the turns before it are the very ones of the last time, or all are new."""
        turns = list(turns)
        count = len(self.turns)
        if count > len(turns) or not all(map(is_, self.turns, turns)):
            count, self.tokens, self.fitted, self.is_fitted = 0, 0, [], False
        new = turns[count:]
        can_take = fitted(new, target)
        self.turns = turns
        self.fitted += can_take
        self.is_fitted = self.is_fitted or can_take is not new
        if target.info is not None and target.info.window is not None:
            self.tokens += estimated_tokens(new, (), target)
        return new

    def is_news(self, finding: Finding) -> bool:
        """Whether people do not know of it yet; from now on they do."""
        what = (finding.what, finding.ability)
        if finding.what in _TOLD_BY_WIRES or what in self.told:
            return False
        self.told.add(what)
        return True


def _refuse_media(ask: Ask, target: Target) -> None:
    """Refuse what was sent just now, as wires do with what they cannot send.

    Raises:
        UnsupportedError: The model is known not to take it.
    """
    if target.info is None or not target.info.lacks:
        return

    def why(media: Media) -> str | None:
        return None if target.takes(media) else f"{target.name} takes no {WORDS[wanted(media)]}"

    leave_media(ask.turns, why, Omissions(ask.provider, lenient=False))


def _offered(ask: Ask, target: Target, looked: _Looked) -> tuple[Ask, Sequence[Notice]]:
    """The ask without tools that nobody can call.

    Raises:
        UnsupportedError: There are such, and nothing may be left out.
    """
    tools = tools_of(ask.options)
    if not tools or not target.lacks("tools"):
        return ask, ()
    omissions = Omissions(ask.provider, lenient=ask.lenient)
    said = f"{target.name} calls no tools, and {len(tools)} are offered"
    omissions.leave("tools", said, "take them away, or choose another model")
    ask = replace(ask, options=[option for option in ask.options if type(option) is not WithTools])
    if "no tools" in looked.told:
        return ask, ()
    looked.told.add("no tools")
    return ask, omissions.notices


def _tokens(ask: Ask, head: int, looked: _Looked, target: Target) -> int:
    """About how many the prompt has; nobody asks where the window is unknown."""
    if target.info is None or target.info.window is None:
        return 0
    tools = tools_of(ask.options)
    offered = keep_of_tools(ask.encoded, ("knowledge", "tools"), tools, lambda: estimated_tokens((), tools, target))
    return looked.tokens + offered + estimated_tokens(ask.turns[:head], (), target)
