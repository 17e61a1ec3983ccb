"""The description of all routes, OpenAPI 3.1; made from the table that serves them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from ore.ext.conduits.http.operation import EVENTS, JSON, LINES, Answer, Operation, Query
from ore.ext.conduits.http.schemas import ref, schemas

__all__ = ["openapi"]

_PARAMETER: Final = re.compile(r"\{(\w+)(?::path)?\}")

_PARAMETERS: Final[Mapping[str, str]] = {
    "id": "the session's id, which is its thread's",
    "mid": "the message's id",
    "key": "the question's key; it may hold slashes, as they are or quoted",
    "aid": "the activity's id, which for a tool call is its key",
}

_ALWAYS: Final = (401, 403, 408, 413, 500)
"""Problems of every request but those of the service."""

_CHANGING: Final = (429, 503)

_BODY: Final = (400, 415, 422)


def openapi(
    operations: Iterable[Operation], *, version: str, has_token: bool, agents: Collection[str] = ()
) -> Mapping[str, Any]:
    """The description of these operations.

    Args:
        operations: The routes.
        version: Of ore.
        has_token: Whether requests have to show one.
        agents: Names of the agents that a session can have.
    """
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = _PARAMETER.sub(r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, path)
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "ore",
            "version": version,
            "description": "Agents as sessions. Messages queue and end exactly once; whoever watches changes nothing.",
        },
        "servers": [{"url": "."}],
        "paths": paths,
        "components": {"schemas": schemas(agents)},
    }
    if has_token:
        described["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "ore_token"},
        }
        described["security"] = [{"token": []}, {"cookie": []}]
    return described


def _operation(operation: Operation, path: str) -> Mapping[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.handle.__name__,
        "summary": operation.summary,
        "parameters": [
            *[_parameter("path", name, _PARAMETERS[name], needed=True) for name in _PARAMETER.findall(path)],
            *[_query(query) for query in operation.query],
            *[_parameter("header", name, about) for name, about in operation.headers.items()],
        ],
        "responses": {
            **{str(status): _answer(answer) for status, answer in operation.answers.items()},
            **{str(status): _problem(status) for status in _problems(operation)},
        },
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": operation.needs_body,
            "content": {JSON: {"schema": ref(operation.body)}},
        }
    return described


def _problems(operation: Operation) -> Sequence[int]:
    found = {*_ALWAYS, *operation.problems}
    if operation.path.startswith("/sessions/"):
        found |= {429, 503}  # it may have to become active first
    if operation.method not in ("GET", "HEAD"):
        found |= {*_CHANGING}
    if operation.body is not None:
        found |= {*_BODY}
    if operation.query:
        found |= {400, 422}
    return sorted(found - {*operation.answers})


def _answer(answer: Answer) -> Mapping[str, Any]:
    if answer.schema is None:
        return {"description": answer.about}
    if answer.media_type in (LINES, EVENTS):
        schema: Mapping[str, Any] = {"type": "string", "description": f"Each item is an {answer.schema}."}
        return {
            "description": answer.about,
            "content": {answer.media_type: {"schema": schema, "x-item-schema": ref(answer.schema)}},
        }
    return {"description": answer.about, "content": {answer.media_type: {"schema": ref(answer.schema)}}}


def _problem(status: int) -> Mapping[str, Any]:
    content = {"application/problem+json": {"schema": ref("Problem")}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _query(query: Query) -> Mapping[str, Any]:
    return {**_parameter("query", query.name, query.about), "schema": query.schema}


def _parameter(place: str, name: str, about: str, *, needed: bool = False) -> dict[str, Any]:
    return {"name": name, "in": place, "required": needed, "description": about, "schema": {"type": "string"}}
