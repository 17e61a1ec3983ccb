"""`check_ollama`: what Ollama's server would refuse, or silently make worse.

Fields by "Generate a chat message" of its documentation (read 2026-11). The
server passes over fields and options that it does not know, and has no rule on
how calls and results follow each other: a model's template is given them as they
come, so what does not fit is read wrong rather than refused.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from ore.testing.shapes.at import At, Body, reading
from ore.testing.shapes.media import check_base64
from ore.testing.shapes.schema import check_schema
from ore.testing.shapes.tools import NAME

__all__ = ["check_ollama"]

_FIELDS: Final = "format keep_alive logprobs options shift stream think tools top_logprobs truncate"

_ROLES: Final[Mapping[str, str]] = {
    "system": "",
    "user": "images",
    "assistant": "images thinking tool_calls",
    "tool": "images tool_call_id",
}
"""Who speaks, and what may stand beside the content."""

_LARGEST: Final = 2**31 - 1

_NUMBERS: Final[Mapping[str, tuple[float, float]]] = {
    "frequency_penalty": (-2, 2),
    "min_p": (0, 1),
    "presence_penalty": (-2, 2),
    "repeat_penalty": (0, 2),
    "temperature": (0, 2),
    "top_p": (0, 1),
    "typical_p": (0, 1),
}

_WHOLE: Final[Mapping[str, tuple[int, int]]] = {
    "num_batch": (1, _LARGEST),
    "num_ctx": (1, _LARGEST),
    "num_gpu": (-1, _LARGEST),
    "num_keep": (-1, _LARGEST),
    "num_predict": (-2, _LARGEST),
    "num_thread": (0, _LARGEST),
    "repeat_last_n": (-1, _LARGEST),
    "seed": (-_LARGEST, _LARGEST),
    "top_k": (0, _LARGEST),
}


def check_ollama(body: Body) -> None:
    """Check a request against what Ollama's server and its templates need.

    Behind the calls of an answer stands a tool message for each, of the same
    name and id and in their order, before anything else. Arguments are objects,
    images are bytes in base64, and every message says something. No field and
    no option is unknown.

    Args:
        body: The bytes, or what they decode to.

    Raises:
        ShapeError: The server would refuse it, or its model would read it wrong.
    """
    with reading(body) as at:
        fields = at.fields("messages model", _FIELDS)
        fields["model"].text(least=1)
        _messages(fields["messages"])
        for name in ("logprobs", "shift", "stream", "truncate"):
            if name in fields:
                fields[name].boolean()
        _tools(fields)
        _format(fields)
        if "options" in fields:
            _options(fields["options"])


def _messages(at: At) -> None:
    due: list[tuple[At, At]] = []
    for message in at.items(least=1):
        role = message.key("role").one_of(*_ROLES)
        fields = message.fields("content role" if role != "tool" else "content role tool_name", _ROLES[role])
        if role == "tool":
            _result(fields, due)
            continue
        if due:
            message.refuse(f"the results of {len(due)} calls first", f"what the {role} says")
        for image in fields["images"].items() if "images" in fields else ():
            check_base64(image)
        if not _says(fields):
            message.refuse("a message that says something", "a blank one")
        due = [_call(call) for call in fields["tool_calls"].items(least=1)] if "tool_calls" in fields else []
    if due:
        at.refuse("a result for each call", f"{len(due)} without")


def _says(fields: Mapping[str, At]) -> bool:
    thought = fields["thinking"].text() if "thinking" in fields else ""
    return bool(fields["content"].text().strip() or thought or "tool_calls" in fields or "images" in fields)


def _call(at: At) -> tuple[At, At]:
    """Check a call; gives its name and its id."""
    fields = at.fields("function", "id type")
    if "type" in fields:
        fields["type"].one_of("function")
    if "id" in fields:
        fields["id"].text()
    function = fields["function"].fields("arguments name", "description index")
    function["name"].name(NAME)
    function["arguments"].object()
    return function["name"], at.key("id")


def _result(fields: Mapping[str, At], due: list[tuple[At, At]]) -> None:
    """The result of the first call that waits for one."""
    fields["content"].text()
    if not due:
        fields["role"].refuse("a call before a result", "none")
    name, id = due.pop(0)
    given = fields["tool_name"]
    if given.text() != name.value:
        given.refuse(f"the name of its call, {name.value!r}", repr(given.value))
    if "tool_call_id" in fields and fields["tool_call_id"].text() != (id.value or ""):
        fields["tool_call_id"].refuse(f"the id of its call, {id.value!r}", repr(fields["tool_call_id"].value))
    for image in fields["images"].items() if "images" in fields else ():
        check_base64(image)


def _tools(fields: Mapping[str, At]) -> None:
    names: list[str] = []
    for tool in fields["tools"].items(least=1) if "tools" in fields else ():
        tool.kind("function")
        function = tool.fields("function type")["function"].fields("name", "description parameters")
        name = function["name"].name(NAME)
        if name in names:
            function["name"].refuse("another name for each tool", repr(name))
        names.append(name)
        if "description" in function:
            function["description"].text()
        if "parameters" in function:
            check_schema(function["parameters"])


def _format(fields: Mapping[str, At]) -> None:
    """What the answer has to be, and whether it is thought about."""
    form, think = fields.get("format"), fields.get("think")
    if form is not None and isinstance(form.value, str):
        form.one_of("json")
    elif form is not None:
        form.object()
    if form is not None and "tools" in fields:
        form.refuse("no format beside tools, which it keeps from being called", "both")
    if think is not None and isinstance(think.value, str):
        think.one_of("low", "medium", "high")
    elif think is not None:
        think.boolean()


def _options(at: At) -> None:
    fields = at.fields("", " ".join((*_NUMBERS, *_WHOLE, "stop", "use_mmap")))
    for name, (low, high) in _NUMBERS.items():
        if name in fields:
            fields[name].number(low, high)
    for name, (least, most) in _WHOLE.items():
        if name in fields:
            fields[name].integer(least, most)
    stops: Sequence[At] = fields["stop"].items() if "stop" in fields else ()
    for stop in stops:
        stop.text(least=1)
