"""Routes of a session's facts."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from ore.errors import InputError
from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.body import MetadataBody
from ore.ext.conduits.http.decoding import read_body
from ore.ext.conduits.http.front import Front
from ore.session import AGENT_KEY

__all__ = ["change_metadata", "check_facts", "show_metadata"]


async def show_metadata(front: Front, request: Request) -> Response:
    """All facts."""
    view = await front.view(request.path_params["id"])
    return json_answer(dict(view.snapshot.metadata))


async def change_metadata(front: Front, request: Request) -> Response:
    """Set and delete facts, all at once."""
    stream = await front.session(request.path_params["id"])
    facts = await read_body(request, MetadataBody)
    check_facts(front, facts)
    await stream.metadata.change(facts)
    return json_answer(stream.metadata.all())


def check_facts(front: Front, facts: Mapping[str, str | None]) -> None:
    """Refuse what is too much, and agents that there are not.

    Raises:
        InputError: It is.
    """
    limit = front.options.limits.metadata_bytes
    size = sum(len(key) + len(value or "") for key, value in facts.items())
    if size > limit:
        raise InputError(f"metadata: expected at most {limit} characters of keys and values, got {size}")
    agent, agents = facts.get(AGENT_KEY), front.sessions.agents
    if agent is not None and agents and agent not in agents:
        raise InputError(f"metadata: {AGENT_KEY}: expected one of {', '.join(agents)}, got {agent[:140]!r}")
