"""The body of a request: a conversation, a spec and options."""

import hashlib
from typing import Any, Final

import msgspec

from ore.artifact import Media, clean, to_json
from ore.errors import BadRequestError
from ore.ext.wires.encoded import encode_units, keep, keep_of_tools
from ore.ext.wires.omissions import Omissions
from ore.ext.wires.openai_models import abilities
from ore.ext.wires.openai_responses.content import cannot_take, media_part
from ore.ext.wires.openai_responses.conversation import encode_unit, goes_on, head_of, instructions
from ore.ext.wires.openai_responses.dialect import Dialect
from ore.ext.wires.openai_responses.distinct import distinct
from ore.ext.wires.openai_responses.issued import Form
from ore.ext.wires.openai_responses.schemas import output_format, written_tools
from ore.ext.wires.openai_responses.steering import steering
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Role
from ore.provider import OutputOption, PromptCacheOption, option, tools_of

__all__ = ["build"]

_PATH: Final = "responses"

_KEY_CHARACTERS: Final = 64
"""The vendor refuses longer keys of the prompt cache."""


def build(ask: Ask, dialect: Dialect, *, summaries: str | None) -> WireRequest:
    """The request for an inference: the same bytes for the same ask.

    Raises:
        UnsupportedError: The model cannot take something that was asked for.
        BadRequestError: No model is named, or no turn has anything that can be sent.
    """
    model = ask.spec.name
    if not model:
        raise BadRequestError(f"{ask.provider}: expected the name of a model, got none", provider=ask.provider)
    omissions = Omissions(ask.provider, lenient=ask.lenient)
    _check_media(ask, dialect, omissions)
    turns = ask.turns if isinstance(ask.turns, list) else list(ask.turns)
    head = head_of(turns)
    form = Form(dialect, ask.provider, model)
    items = encode_units(
        distinct(turns[head:], ask.encoded),
        goes_on,
        lambda unit: encode_unit(unit, form),
        kept=ask.encoded,
        key=("openai-responses", form),
    )
    if not items:
        raise BadRequestError(
            f"{ask.provider}: expected a conversation with a message that can be sent, got none", provider=ask.provider
        )
    told = instructions(turns[:head])
    first = {"model": clean(model), **({"instructions": told} if told else {})}
    rest = {
        **_tools(ask, dialect, omissions),
        **steering(ask, dialect, omissions, summaries=summaries),
        **_cache(ask, dialect),
        "store": False,
        "stream": True,
    }
    body = b'%b,"input":[%b],%b' % (to_json(first)[:-1], b",".join(items), to_json(rest)[1:])
    return WireRequest(path=_PATH, body=body, notices=omissions.notices)


def _check_media(ask: Ask, dialect: Dialect, omissions: Omissions) -> None:
    """Refuse what was just sent and cannot be taken; in earlier turns its place is held by a text."""
    last = ask.turns[-1] if ask.turns else None
    if last is None or last.role is not Role.USER:
        return
    for artifact in last.artifacts:
        if isinstance(artifact, Media) and media_part(artifact, dialect) is None:
            omissions.leave(artifact.kind, cannot_take(artifact), "send it as text, or use another model")


def _tools(ask: Ask, dialect: Dialect, omissions: Omissions) -> dict[str, Any]:
    tools, output = tools_of(ask.options), option(ask.options, OutputOption)
    model = ask.spec.name or ""
    may_be_strict = abilities(model).decodes_by_schema
    found: dict[str, Any] = {}
    if tools:
        found["tools"] = keep_of_tools(
            ask.encoded,
            ("openai-responses", "tools", may_be_strict),
            tools,
            lambda: msgspec.Raw(to_json(written_tools(tools, may_be_strict=may_be_strict))),
        )
        if dialect.calls_in_parallel:
            found["parallel_tool_calls"] = True
    if output is not None and not may_be_strict:
        omissions.leave("output", f"{model} at {ask.provider} cannot be held to a schema", "use a later model")
    elif output is not None:
        made = keep(
            ask.encoded, ("openai-responses", "format"), (output,), lambda: msgspec.Raw(to_json(output_format(output)))
        )
        found["text"] = {"format": made}
    return found


def _cache(ask: Ask, dialect: Dialect) -> dict[str, Any]:
    """What requests with one beginning share, by which the vendor routes them to one cache."""
    cache = option(ask.options, PromptCacheOption) or PromptCacheOption()
    key = cache.key or (ask.session if dialect.caches_by_key else None)
    if not key:
        return {}
    return {"prompt_cache_key": key if len(key) <= _KEY_CHARACTERS else hashlib.sha256(key.encode()).hexdigest()}
