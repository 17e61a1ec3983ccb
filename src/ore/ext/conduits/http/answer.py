"""Answers that are one JSON value."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from ore.artifact import Artifact, encode, to_json

__all__ = ["json_answer", "raw_artifacts"]


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON; bytes are JSON already."""
    body = value if isinstance(value, bytes) else to_json(value)
    return Response(body, status, headers=headers, media_type="application/json")


def raw_artifacts(artifacts: Sequence[Artifact]) -> Sequence[msgspec.Raw]:
    """Artifacts as part of a value, those of kinds that nobody knows as they came."""
    return [msgspec.Raw(encode(artifact)) for artifact in artifacts]
