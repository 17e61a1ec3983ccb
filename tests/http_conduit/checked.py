"""Holds answers against the description that the server itself gives of them."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]  # it ships no types

from http_conduit.client import Answer
from ore.ext.conduits.http.openapi import openapi
from ore.ext.conduits.http.operations import OPERATIONS
from ore.ext.conduits.http.service import SERVICE

__all__ = ["DESCRIPTION", "check", "check_event", "fault"]

PAGE = re.compile(r"/(chat|static/.*)?")

DESCRIPTION: Mapping[str, Any] = json.loads(
    json.dumps(openapi((*OPERATIONS, *SERVICE), version="0", has_token=True, agents=["agent"]))
)


FORMATS = FormatChecker(())


@FORMATS.checks("date-time", ValueError)  # type: ignore[untyped-decorator]  # it ships no types
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@cache
def validator(schema: str) -> Draft202012Validator:
    """Of a part of the description, given as JSON."""
    whole = {**json.loads(schema), "components": DESCRIPTION["components"]}
    return Draft202012Validator(whole, format_checker=FORMATS)


def fault(value: Any, schema: Any) -> str | None:
    """What is wrong with a value, if anything is."""
    found = next(validator(json.dumps(schema)).iter_errors(value), None)
    return None if found is None else f"{found.json_path}: {found.message[:300]}"


def check_event(event: Any) -> None:
    """An event on a stream."""
    assert (wrong := fault(event, {"$ref": "#/components/schemas/Event"})) is None, f"{wrong} in {event}"


def check(method: str, path: str, answer: Answer) -> None:
    """A whole answer: its status, its type, and what it holds."""
    operation = _operation(method, path.partition("?")[0])
    if operation is None:  # no route, or the page
        return
    told = operation["responses"].get(str(answer.status))
    assert told is not None, f"{method} {path}: {answer.status} is not described"
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    content = told.get("content", {})
    if not content:
        assert answer.body == b"", f"{method} {path}: {answer.status} is described as empty"
        return
    assert media_type in content, f"{method} {path}: {media_type} is not described"
    if media_type == "application/x-ndjson":
        for line in answer.lines:
            check_event(line)
    elif media_type.endswith("json"):
        wrong = fault(answer.json, content[media_type]["schema"])
        assert wrong is None, f"{method} {path} {answer.status}: {wrong}"


def _operation(method: str, path: str) -> Any:
    for template, operations in DESCRIPTION["paths"].items():
        pattern = re.sub(
            r"\\{(\w+)\\}", lambda found: ".+" if found[1] in ("key", "aid") else "[^/]+", re.escape(template)
        )
        if re.fullmatch(pattern, path):
            return operations.get(method.lower())
    return None
