"""Routes that say whether the server is well, and what it can."""

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ore.ext.conduits.http.answer import json_answer
from ore.ext.conduits.http.front import Front
from ore.ext.conduits.http.operation import Answer, Operation

__all__ = ["SERVICE"]


async def show_health(front: Front, request: Request) -> Response:
    """Whether it takes messages."""
    return json_answer({"status": "draining" if front.draining else "ok"}, 503 if front.draining else 200)


SERVICE: Final[Sequence[Operation]] = (
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
