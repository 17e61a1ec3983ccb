"""Schemas of everything that the routes take and give, by name."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from ore.artifact import BUILTIN_KINDS
from ore.errors import ErrorInfo
from ore.event import (
    Activity,
    Answer,
    ErrorEvent,
    EventContext,
    Gap,
    Lifecycle,
    Properties,
    Question,
    SessionSwitch,
    TurnComplete,
    TurnRestarted,
)
from ore.ext.conduits.http.body import ForkBody, InterruptBody, MessageBody, SessionBody, TipBody
from ore.ledger import Turn

__all__ = ["ref", "schemas"]

Schema = dict[str, Any]

_EVENTS: Final = (
    *(Activity, Answer, ErrorEvent, Gap, Lifecycle, Properties, Question, SessionSwitch, TurnComplete, TurnRestarted),
)
_BODIES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "NewSession": SessionBody,
    "NewMessage": MessageBody,
    "Interrupt": InterruptBody,
    "Fork": ForkBody,
    "Tip": TipBody,
}
_ID: Final = {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$"}
_TEXT: Final = {"type": "string"}
_URL: Final = "^https?://"
_BASE64: Final = "^([A-Za-z0-9+/]{4})+$"
_PHASES: Final = ["idle", "queued", "submitted", "streaming", "tools", "waiting", "closing"]


def ref(name: str) -> Schema:
    """What points at one of them."""
    return {"$ref": f"#/components/schemas/{name}"}


def schemas(agents: Collection[str] = ()) -> Schema:
    """All of them; those of values are made from the very classes that are written and read.

    Args:
        agents: Names of the agents that there are.
    """
    _, made = msgspec.json.schema_components(
        (*BUILTIN_KINDS, *_EVENTS, *_BODIES.values(), Turn, EventContext, ErrorInfo),
        ref_template="#/components/schemas/{name}",
    )
    found: Schema = {name: _short(schema) for name, schema in made.items()}
    for name, body in _BODIES.items():
        found[name] = found.pop(body.__name__)
    content = {"anyOf": [{"type": "string", "minLength": 1}, _list(ref("SentArtifact"), minItems=1)]}
    for name in ("NewMessage", "Fork"):
        found[name]["properties"]["content"] = content
    found["NewMessage"]["properties"]["id"] = _or_null(_ID)
    found["NewSession"]["properties"]["agent"] = _or_null({"enum": [*agents]})
    found["NewSession"]["properties"]["metadata"] = _or_null(_facts(_TEXT))
    return found | _artifacts() | _events() | _composed() | _sent()


def _artifacts() -> Schema:
    """An artifact is one of the kinds, or of a kind that somebody added."""
    kinds = {kind.__name__: str(kind.__struct_config__.tag) for kind in BUILTIN_KINDS}
    return {"Artifact": _one_of(kinds, "An artifact of any kind.")}


def _events() -> Schema:
    classes: tuple[type[msgspec.Struct], ...] = (*BUILTIN_KINDS, *_EVENTS)
    kinds = {kind.__name__: str(kind.__struct_config__.tag) for kind in classes}
    context = {
        "allOf": [
            ref("EventContext"),
            {"type": "object", "properties": {"id": {"type": "string", "pattern": "^\\d+-\\d+$"}}, "required": ["id"]},
        ]
    }
    event = _one_of(kinds, "What happened, with where it belongs.")
    event["required"] = ["kind", "context"]
    event["properties"]["context"] = context
    return {"Event": event}


def _composed() -> Schema:
    """What answers are made of beside the values themselves."""
    queued = _object(
        {"id": _ID, "content": _list(ref("Artifact")), "status": _enum("running", "waiting"), "position": _count()}
    )
    found = {
        "Session": _object({"id": _ID, "events_url": _TEXT}),
        "Sessions": _object(
            {"sessions": _list(_object({"id": _ID, "phase": _enum(*_PHASES), "queued": _count()}))},
        ),
        "Agents": _object({"agents": _list(_object({"name": _TEXT, "description": _TEXT}))}),
        "Models": _object(
            {
                "models": _list(
                    _object({"name": _TEXT, "window_tokens": _count(), "agents": _list(_TEXT)}, needed=("name",))
                )
            },
        ),
        "Commands": _object({"commands": _list(_object({"name": _TEXT, "description": _TEXT}))}),
        "Accepted": _object({"id": _ID}),
        "Queued": queued,
        "Queue": _object({"messages": _list(ref("Queued"))}),
        "MessageState": _object(
            {
                "id": _ID,
                "status": _enum("waiting", "running", "done"),
                "outcome": ref("Outcome"),
                "turn": _TEXT,
                "error": ref("ErrorInfo"),
            },
            needed=("id", "status"),
        ),
        "Interrupted": _object(
            {
                "cancelled": _or_null(_ID),
                "cleared": _list(_object({"id": _ID, "content": _list(ref("Artifact"))})),
            }
        ),
        "NewAnswer": {
            "oneOf": [
                _object(
                    {
                        "decision": _enum("approve", "deny"),
                        "reason": _or_null(_TEXT),
                        "arguments": _or_null(_TEXT),
                    },
                    needed=("decision",),
                ),
                _object({"answer": {}, "reason": _or_null(_TEXT)}, needed=("answer",)),
            ]
        },
        "Questions": _object({"questions": _list(ref("Question"))}),
        "Snapshot": _snapshot(),
        "Turns": _list(ref("Turn")),
        "Forked": _object({"id": _ID, "message": _ID}, needed=("id",)),
        "Metadata": {"type": "object", "additionalProperties": _TEXT},
        "MetadataChange": _facts(_or_null(_TEXT)),
        "Threads": _object(
            {
                "threads": _list(
                    _object(
                        {"id": _ID, "title": _TEXT, "preview": _TEXT, "last_at": {**_TEXT, "format": "date-time"}},
                        needed=("id",),
                    )
                ),
                "next_cursor": _TEXT,
            },
            needed=("threads",),
        ),
        "Description": {"type": "object", "required": ["openapi", "paths"]},
        "Health": _object({"status": _enum("ok", "draining")}),
        "Problem": _problem(),
    }
    return found


def _snapshot() -> Schema:
    block = _object(
        {
            "block": _TEXT,
            "artifact": ref("Artifact"),
            "open": {"type": "boolean"},
            "path": _list(_TEXT),
        },
        needed=("artifact",),
    )
    fields: dict[str, Schema] = {
        "id": {"type": "string", "pattern": "^\\d+-\\d+$"},
        "turns": _list(ref("Turn")),
        "metadata": ref("Metadata"),
        "phase": _enum(*_PHASES),
        "queue": _list(ref("Queued")),
        "questions": _list(ref("Question")),
        "blocks": _list(block),
        "activities": _list(ref("Activity")),
    }
    return _object(fields, needed=tuple(name for name in fields if name != "activities"))


def _problem() -> Schema:
    """RFC 9457, with the error object's own fields."""
    fields: dict[str, Schema] = {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": _TEXT,
        "code": _TEXT,
        "message": _TEXT,
        "retryable": _or_null({"type": "boolean"}),
        "retry_after_s": _or_null({"type": "number"}),
        "provider": _or_null(_TEXT),
    }
    return _object(fields, needed=("type", "title", "status", "detail", "code"))


def _facts(value: Schema) -> Schema:
    """Facts as they are changed; what some of ore's own may be is said where they are described."""
    about = "`ore.title` is a title, `ore.agent` an agent's name, `ore.model.*` how the model answers."
    return {"type": "object", "additionalProperties": value, "description": about}


def _sent() -> Schema:
    """What a person may send: text, bytes or an address, or an artifact of a kind that somebody added."""
    nothing = {"type": "null"}
    text = {
        "type": "object",
        "properties": {"kind": {"const": "text"}, "content": _TEXT, "provider_data": nothing},
        "required": ["kind", "content"],
    }
    bytes_ = {"type": "string", "contentEncoding": "base64", "pattern": _BASE64}
    media = {
        "type": "object",
        "description": "An image has to be a GIF, JPEG, PNG or WebP that vendors take.",
        "properties": {
            "kind": _enum("image", "file", "audio"),
            "media_type": _or_null(_TEXT),
            "name": _or_null(_TEXT),
            "size_bytes": _or_null({"type": "integer"}),
            "blob": nothing,
        },
        "required": ["kind"],
        "oneOf": [
            {"properties": {"url": {"type": "string", "pattern": _URL}, "data": nothing}, "required": ["url"]},
            {"properties": {"data": bytes_, "url": nothing}, "required": ["data"]},
        ],
    }
    kinds = [str(kind.__struct_config__.tag) for kind in BUILTIN_KINDS]
    other = {"type": "object", "properties": {"kind": {"type": "string", "not": {"enum": kinds}}}, "required": ["kind"]}
    return {"SentArtifact": {"anyOf": [text, media, other]}}


def _one_of(kinds: Mapping[str, str], about: str) -> Schema:
    """One of some kinds, or of none of them; the kind says which."""
    other = {"properties": {"kind": {"not": {"enum": [*kinds.values()]}}}}
    return {
        "description": about,
        "type": "object",
        "properties": {"kind": _TEXT},
        "required": ["kind"],
        "anyOf": [*[ref(name) for name in kinds], other],
    }


def _object(fields: Mapping[str, Schema], needed: tuple[str, ...] | None = None) -> Schema:
    required = [*fields] if needed is None else [*needed]
    return {"type": "object", "properties": dict(fields), "required": required, "additionalProperties": False}


def _list(items: Schema, **more: int) -> Schema:
    return {"type": "array", "items": items, **more}


def _enum(*values: str) -> Schema:
    return {"type": "string", "enum": [*values]}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _count() -> Schema:
    return {"type": "integer", "minimum": 0}


def _short(schema: Schema) -> Schema:
    """Without the docstring's later parts, which are for readers of the source."""
    found = {name: value for name, value in schema.items() if name != "title"}
    if "description" in found:
        found["description"] = found["description"].partition("\n")[0]
    return found
