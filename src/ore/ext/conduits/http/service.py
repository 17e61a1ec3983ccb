"""Routes that say whether the server is well, and what it can."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.openapi import openapi
from ore.ext.conduits.http.operation import Answer, Operation
from ore.ext.conduits.http.operations import OPERATIONS

__all__ = ["SERVICE"]


async def show_health(front: Front, request: Request) -> Response:
    """Whether it takes messages."""
    return json_answer({"status": "draining" if front.draining else "ok"}, 503 if front.draining else 200)


async def show_openapi(front: Front, request: Request) -> Response:
    """What the routes are, take and give."""
    operations = (*OPERATIONS, *SERVICE)
    described = openapi(
        operations,
        version=version("ore-agents"),
        has_token=front.options.token is not None,
        agents=[*front.sessions.agents],
    )
    return json_answer(described)


SERVICE: Final[Sequence[Operation]] = (
    Operation(
        method="GET",
        path="/openapi.json",
        handle=show_openapi,
        summary="Describe all routes",
        answers={200: Answer(about="OpenAPI 3.1", schema="Description")},
    ),
    Operation(
        method="GET",
        path="/healthz",
        handle=show_health,
        summary="Say whether the server takes messages",
        answers={
            200: Answer(about="It does", schema="Health"),
            503: Answer(about="It stops", schema="Health"),
        },
    ),
)
