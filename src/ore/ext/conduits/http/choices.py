"""Routes that say what can be chosen: agents, models, commands."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Protocol, runtime_checkable

from starlette.requests import Request
from starlette.responses import Response

from ore.errors import OreError
from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.decoding import number_in
from ore.ext.conduits.http.front import Front
from ore.models import ModelInfo

__all__ = ["list_agents", "list_commands", "list_models"]

MODELS: Final = 50
"""So many models are listed when nobody says how many."""

MOST_MODELS: Final = 500


class _Described(Protocol):
    @property
    def description(self) -> str:
        """One line for a list."""
        ...


@runtime_checkable
class Commanding(Protocol):
    """An interceptor with slash commands, such as `ore.ext.commands.Commands`."""

    @property
    def bound(self) -> Mapping[str, _Described]:
        """The commands by name."""
        ...


async def list_agents(front: Front, request: Request) -> Response:
    """The agents that sessions can have, the default one first."""
    agents = front.sessions.agents.values()
    return json_answer({"agents": [{"name": one.name, "description": one.description} for one in agents]})


async def list_commands(front: Front, request: Request) -> Response:
    """What messages that begin with `/` do."""
    found: dict[str, str] = {}
    for interceptor in front.sessions.interceptors:
        if isinstance(interceptor, Commanding):
            for name, bound in interceptor.bound.items():
                found.setdefault(name, bound.description)
    return json_answer({"commands": [{"name": name, "description": found[name]} for name in sorted(found)]})


async def list_models(front: Front, request: Request) -> Response:
    """Models that a session can change to: those of the agents, then what is known of vendors whose key is here."""
    words = request.query_params.get("q", "").lower().split()
    asked = number_in(request, "limit")
    limit = MODELS if asked is None else min(max(asked, 1), MOST_MODELS)
    found: dict[str, Mapping[str, Any]] = {}
    for listed in _models(front):
        if len(found) == limit:
            break
        name = listed["name"].lower()
        if all(word in name for word in words):
            found.setdefault(name, listed)
    return json_answer({"models": [*found.values()]})


def _models(front: Front) -> Iterator[Mapping[str, Any]]:
    catalog = import_module("ore.ext.catalog").shared_catalog()  # a large file, which few servers are asked for
    for name, agents in _of_agents(front).items():
        yield {**_listed(name, catalog.named(name)), "agents": agents}
    known: Sequence[ModelInfo] = catalog.search()
    reachable: dict[str, bool] = {}
    for info in known:
        name = f"{info.provider}:{info.name}"
        if info.provider not in reachable:
            reachable[info.provider] = _is_reachable(front, name)
        if reachable[info.provider]:
            yield _listed(name, info)


def _of_agents(front: Front) -> Mapping[str, Sequence[str]]:
    """The models of the agents, each with the names of those that have it."""
    found: dict[str, list[str]] = {}
    for agent in front.sessions.agents.values():
        if agent.spec.name:
            found.setdefault(f"{agent.provider.name}:{agent.spec.name}", []).append(agent.name)
    return found


def _is_reachable(front: Front, name: str) -> bool:
    """Whether a session could be told to use it: its provider is installed, and has its key."""
    resolve = front.sessions.resolve
    if resolve is None:
        return False
    try:
        resolve(name)
    except OreError:
        return False
    return True


def _listed(name: str, info: ModelInfo | None) -> Mapping[str, Any]:
    listed: dict[str, Any] = {"name": name}
    if info is not None and info.window is not None:
        listed["window_tokens"] = info.window
    return listed
