"""What may stand where somebody is typing."""

from argparse import Action
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Final

from ore.cli.main import COMMANDS, find, new_parser
from ore.cli.parser import Parser, Words, choose

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["candidates"]

MOST: Final = 1000
"""Candidates; more of them help nobody."""


def candidates(words: Words) -> Sequence[str]:
    """What the last of the words may become; nothing where a file is expected, or anything."""
    *before, begun = words
    found = _within(before, begun)
    return [name for name in dict.fromkeys(found) if name.startswith(begun)][:MOST]


def _within(before: Words, begun: str) -> Iterable[str]:
    root = new_parser()
    try:
        with redirect_stderr(StringIO()):
            choose(root, before, COMMANDS, find)
    except SystemExit:  # they name no command
        return ()
    parser = root.last
    if parser.commands and parser.chosen is None:
        return [*parser.commands, *(parser.known if begun.startswith("-") else ())]
    taking = _taking(parser, before[-1]) if before else None
    if taking is not None:
        return _values(taking, before, begun)
    if begun.startswith("-"):
        return parser.known
    places = [action for action in parser.arguments if not action.option_strings]
    return _values(places[0], before, begun) if places else ()


def _taking(parser: Parser, word: str) -> Action | None:
    """The option that wants a value behind it."""
    named = [action for action in parser.arguments if word in action.option_strings]
    return named[0] if named and named[0].nargs != 0 else None


def _values(action: Action, before: Words, begun: str) -> Iterable[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    value = _VALUES.get(action.dest)
    return value(before, begun) if value is not None else ()


def _models(before: Words, begun: str) -> Iterable[str]:
    from ore.app import Resolver

    known = Resolver().known()
    if ":" not in begun:
        return ["local", *(f"{name}:" for name in known if name != "local")]
    from ore.ext.catalog import shared_catalog

    return [f"{model.provider}:{model.name}" for model in shared_catalog().search() if model.provider in known]


def _tools(before: Words, begun: str) -> Iterable[str]:
    from ore.app.resolve import names_of

    return names_of("tools")


def _stores(before: Words, begun: str) -> Iterable[str]:
    from ore.app.resolve import names_of

    return ["memory:", *(f"{name}:" for name in names_of("stores"))] if ":" not in begun else ()


def _agents(before: Words, begun: str) -> Iterable[str]:
    """Modules of the folder that make agents, and the agents of one; read, and never run."""
    from pathlib import Path

    made = {path.stem: _made(path) for path in Path.cwd().glob("*.py")}
    if ":" not in begun:
        return [f"{module}:" for module, names in sorted(made.items()) if names]
    module = begun.partition(":")[0]
    return [f"{module}:{name}" for name in made.get(module, ())]


def _made(path: "Path") -> Sequence[str]:
    """The names that a module gives to what looks like an agent."""
    import ast

    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return ()
    calls = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [
        target.id
        for node in calls
        for target in node.targets
        if isinstance(target, ast.Name) and "Agent(" in ast.unparse(node.value)
    ]


def _conduits(before: Words, begun: str) -> Iterable[str]:
    from ore.app.resolve import names_of

    return names_of("conduits")


def _levels(before: Words, begun: str) -> Iterable[str]:
    from ore.models import ThinkingLevel

    return [level.name.lower() for level in ThinkingLevel]


def _protocols(before: Words, begun: str) -> Iterable[str]:
    from ore.cli.decoding import PROTOCOLS

    return PROTOCOLS


def _sessions(before: Words, begun: str) -> Iterable[str]:
    """Ids of stored sessions, the latest first; none where the store cannot be read."""
    import asyncio

    from ore.app import default_store_url, open_store

    store_url = before[before.index("--store") + 1] if "--store" in before[:-1] else default_store_url()

    async def ids() -> Sequence[str]:
        store = open_store(store_url)
        try:
            return [summary.id for summary in (await store.list(limit=100)).threads]
        finally:
            await store.aclose()

    try:
        return asyncio.run(ids())
    except Exception:  # whoever types is told by the command itself
        return ()


_VALUES: Final[Mapping[str, Callable[[Words, str], Iterable[str]]]] = {
    "agent": _agents,
    "conduit": _conduits,
    "id": _sessions,
    "model": _models,
    "protocol": _protocols,
    "session": _sessions,
    "store": _stores,
    "thinking": _levels,
    "tool": _tools,
}
"""What an option or a place takes, by its name."""
