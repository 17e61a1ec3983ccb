"""A server's question to the person, as a question of ore, and the answer on its way back."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types
from jsonschema.exceptions import SchemaError, best_match  # type: ignore[import-untyped]  # as above
from mcp import types

from ore.errors import ToolError
from ore.event import Answer, Question

__all__ = ["Form"]

_YES: Final = frozenset({"accept", "approve", "done", "ok", "true", "y", "yes"})
_NO: Final = frozenset({"cancel", "decline", "deny", "false", "n", "no"})
_WORDS: Final = {"boolean": ("yes", "no")}


class Form:
    """What a server wants to know: some fields, or that a page was visited.

    Args:
        server: Who asks.
        params: What it sent.
    """

    def __init__(self, server: str, params: types.ElicitRequestParams) -> None:
        self._server = server
        self._params = params
        self._schema: Mapping[str, Any] = (
            params.requested_schema if isinstance(params, types.ElicitRequestFormParams) else {}
        )

    def question(self, tool: str, fault: str | None = None) -> Question:
        """The question to ask.

        Args:
            fault: What was wrong with the last answer.
        """
        lines = [f"{self._server}: {self._params.message}"]
        options: tuple[str, ...] | None = None
        if isinstance(self._params, types.ElicitRequestURLParams):
            lines.append(self._params.url)
            options = _WORDS["boolean"]
        elif len(self._fields) == 1:
            ((name, field),) = self._fields.items()
            options = _options(field)
            lines += [_told(name, field)] if _says_more(name, field) else []
        else:
            lines += [_told(name, field, is_required=name in self._required) for name, field in self._fields.items()]
            lines += ["Answer with a JSON object of these fields."] if self._fields else []
        if fault is not None:
            lines.insert(0, f"That does not fit: {fault}")
        return Question(key="", purpose="elicitation", tool=tool, text="\n".join(lines), options=options)

    def result(self, answer: Answer) -> types.ElicitResult:
        """What the server gets.

        Raises:
            ToolError: The answer does not fit; the message says what is wrong, for the person.
        """
        if answer.decision == "deny" or (answer.decision is None and answer.answer is None):
            return types.ElicitResult(action="decline")
        if isinstance(self._params, types.ElicitRequestURLParams):
            agreed = answer.decision == "approve" or _lower(answer.answer) in _YES
            return types.ElicitResult(action="accept" if agreed else "decline")
        content = self._content(answer.answer)
        self._check(content)
        return types.ElicitResult(action="accept", content=content)

    @property
    def _fields(self) -> Mapping[str, Mapping[str, Any]]:
        fields: Mapping[str, Mapping[str, Any]] = self._schema.get("properties", {})
        return fields

    @property
    def _required(self) -> list[str]:
        required: list[str] = self._schema.get("required", [])
        return required

    def _content(self, given: Any) -> dict[str, Any]:
        if given is None:
            return {}
        if isinstance(given, Mapping):
            return dict(given)
        if isinstance(given, str):
            whole = _json(given)
            if isinstance(whole, dict):
                return whole
        if len(self._fields) == 1:
            ((name, field),) = self._fields.items()
            return {name: _as_field(given, field)}
        if not self._fields:
            return {}
        raise ToolError(f"expected a JSON object with the fields {', '.join(self._fields)}")

    def _check(self, content: Mapping[str, Any]) -> None:
        try:
            fault = best_match(Draft202012Validator(self._schema).iter_errors(content))
        except (SchemaError, TypeError, ValueError) as error:
            raise ToolError(f"the server asks with a schema that is none: {type(error).__name__}") from None
        if fault is not None:
            place = ".".join(map(str, fault.absolute_path))
            raise ToolError(f"{place}: {fault.message}" if place else str(fault.message))


def _options(field: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The answers there are, for a field that has few."""
    if "enum" in field:
        return tuple(map(str, field["enum"]))
    titled = field.get("oneOf", field.get("anyOf", ()))
    if titled and all("const" in item for item in titled):
        return tuple(str(item["const"]) for item in titled)
    return _WORDS.get(str(field.get("type")))


def _says_more(name: str, field: Mapping[str, Any]) -> bool:
    return any(key in field for key in ("description", "title")) or field.get("type") not in ("string", "boolean")


def _told(name: str, field: Mapping[str, Any], *, is_required: bool = True) -> str:
    options = _options(field)
    facts = [" | ".join(options) if options else str(field.get("format") or field.get("type") or "any")]
    facts += [] if is_required else ["optional"]
    facts += [f"default {field['default']!r}"] if "default" in field else []
    told = field.get("description") or field.get("title")
    return f"{name} ({', '.join(facts)}){f': {told}' if told else ''}"


def _as_field(given: Any, field: Mapping[str, Any]) -> Any:
    """What a person typed, as the type of the field where that can be."""
    kind = field.get("type")
    if not isinstance(given, str) or kind == "string":
        return given
    if kind == "boolean" and _lower(given) in _YES | _NO:
        return _lower(given) in _YES
    if kind == "array":
        whole = _json(given)
        return whole if isinstance(whole, list) else [part.strip() for part in given.split(",") if part.strip()]
    whole = _json(given)
    return given if whole is None else whole


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _lower(value: Any) -> str:
    return str(value).strip().lower()
