"""`Gemini`: Google's generateContent protocol, without I/O.

By "Generating content" of the Gemini API reference, `v1beta` (read 2026-11).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

import msgspec

from ore.artifact import to_json
from ore.errors import BadRequestError, ProviderError
from ore.ext.wires.answer_tool import AnswerTool
from ore.ext.wires.encoded import encode_units, keep_of_tools
from ore.ext.wires.gemini.config import generation_config
from ore.ext.wires.gemini.contents import GO_ON, OPENING, Contents, system_parts
from ore.ext.wires.gemini.decoder import GeminiDecoder
from ore.ext.wires.gemini.failure import answer_failure
from ore.ext.wires.gemini.family import Family, family_of
from ore.ext.wires.gemini.media import why_not
from ore.ext.wires.gemini.tools import declarations, function_name, own_names
from ore.ext.wires.omissions import Omissions, leave_media
from ore.ext.wires.wire import Ask, Decoder, WireRequest
from ore.ledger import Role, Turn
from ore.provider import MaxTokensOption, OutputOption, option, tools_of

__all__ = ["Gemini"]

_FOLDERS: Final = ("models/", "tunedModels/")
_ANY: Final = b'{"functionCallingConfig":{"mode":"ANY"}}'
"""One of the functions has to be called."""
_MODEL: Final = b'{"role":"model"'


class _Role(msgspec.Struct):
    """Who speaks in a content."""

    role: str


_roles: Final = msgspec.json.Decoder(list[_Role]).decode


class Gemini:
    """Asks `models/…:streamGenerateContent`, for events.

    Of a spec it takes all but the window, which is the vendor's. Tools go as
    JSON Schema. An output goes as the schema of the answer; beside tools, where
    a model takes just one of both, as a function that has to be called.
    """

    @property
    def protocol(self) -> str:
        """`gemini`."""
        return "gemini"

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference; see `Wire`."""
        model = _model(ask)
        family = family_of(model)
        omissions = Omissions(ask.provider, lenient=ask.lenient)
        leave_media(ask.turns, why_not, omissions)
        tools, answer = tools_of(ask.options), _answer_tool(ask, family)
        output = option(ask.options, OutputOption) if answer is None else None
        fields: dict[str, bytes] = {}
        leading, contents = self._contents(ask, model, family)
        system = system_parts(leading)
        if system:
            fields["systemInstruction"] = to_json({"parts": system})
        if tools:
            sources = (*tools, option(ask.options, OutputOption))
            key = ("gemini", "tools", answer is None)
            fields["tools"] = keep_of_tools(ask.encoded, key, sources, lambda: declarations(tools, answer))
        if answer is not None:
            fields["toolConfig"] = _ANY
        config = generation_config(ask.spec, family, _max_tokens(ask), output, omissions)
        if config:
            fields["generationConfig"] = to_json(config)
        return WireRequest(path=_path(model), body=_body(contents, fields), notices=tuple(omissions.notices))

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask; see `Wire`."""
        model = _model(ask)
        answer = _answer_tool(ask, family_of(model))
        return GeminiDecoder(
            provider=ask.provider,
            model=model,
            answer_tool=None if answer is None else function_name(answer.name),
            names=own_names(tools_of(ask.options)),
        )

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200; see `Wire`."""
        return answer_failure(provider, status, headers, body)

    def _contents(self, ask: Ask, model: str, family: Family) -> tuple[Sequence[Turn], list[bytes]]:
        """The system's turns that stand apart, and the contents of all others.

        Raises:
            BadRequestError: Nobody says anything but the system.
        """
        turns = ask.turns
        begin = next((place for place, turn in enumerate(turns) if turn.role is not Role.SYSTEM), len(turns))
        apart = begin if family.takes_system or begin == len(turns) else 0
        others = turns[apart:]
        encoder = Contents(ask.provider, model, wants_signatures=family.wants_signatures)
        key = ("gemini", ask.provider, model)
        contents = encode_units(others, encoder.goes_on, encoder.encode, kept=ask.encoded, key=key)
        if not contents:
            raise BadRequestError("expected a message to answer, got none", provider=ask.provider)
        if contents[0].startswith(_MODEL):
            contents.insert(0, OPENING)
        if _roles(b"[%b]" % contents[-1])[-1].role == "model":
            contents.append(GO_ON)
        return turns[:apart], contents


def _answer_tool(ask: Ask, family: Family) -> AnswerTool | None:
    """The function that stands for an output; `None` where there is none, or the model takes its schema."""
    output, tools = option(ask.options, OutputOption), tools_of(ask.options)
    if output is None or not tools or family.answers_by_schema_beside_tools:
        return None
    return AnswerTool.of(output, tools)


def _model(ask: Ask) -> str:
    if not ask.spec.name:
        raise BadRequestError("expected the name of a model, got none", provider=ask.provider)
    return ask.spec.name


def _max_tokens(ask: Ask) -> int | None:
    limit = option(ask.options, MaxTokensOption)
    given = limit.tokens if limit is not None and limit.tokens > 0 else ask.spec.max_output_tokens
    return given if given is not None and given > 0 else None


def _path(model: str) -> str:
    name = model if model.startswith(_FOLDERS) or "/models/" in model else f"models/{model}"
    return f"{quote(name, safe='/-._@')}:streamGenerateContent?alt=sse"


def _body(contents: Sequence[bytes], fields: Mapping[str, bytes]) -> bytes:
    pieces: list[Any] = [b'{"contents":[', b",".join(contents), b"]"]
    for name, value in fields.items():
        pieces += (b',"', name.encode(), b'":', value)
    return b"".join((*pieces, b"}"))
