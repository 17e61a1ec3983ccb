"""`build`: the request for an inference."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ore.artifact import to_json
from ore.errors import BadRequestError
from ore.ext.wires.anthropic.blocks import Blocks
from ore.ext.wires.anthropic.claude import Claude, claude
from ore.ext.wires.anthropic.conversation import OPENING, Conversation, Message, end, lacks_thinking, system
from ore.ext.wires.anthropic.dialect import Dialect
from ore.ext.wires.anthropic.media import why_not
from ore.ext.wires.anthropic.sampling import sampling
from ore.ext.wires.anthropic.thinking import Thinking, thinking
from ore.ext.wires.anthropic.tools import answer_schema, answer_tool, tools_json
from ore.ext.wires.encoded import encode_units, keep, keep_of_tools, last_unit
from ore.ext.wires.omissions import Omissions, leave_media
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Role
from ore.models import Spec
from ore.provider import MaxTokensOption, Option, OutputOption, PromptCacheOption, option, tools_of

__all__ = ["build"]

VERSION: Final = "2023-06-01"
"""Of the protocol: "Versions" of the vendor's documentation (read 2026-11)."""

_USER: Final = b'{"role":"user"'


def build(ask: Ask, dialect: Dialect) -> WireRequest:
    """The request for an inference; see `Wire.request`.

    Raises:
        UnsupportedError: The model cannot take a field, or something in the last message.
        BadRequestError: There is no model's name, or no message.
    """
    name = ask.spec.name or ""
    if not name:
        raise BadRequestError("expected a model's name, got none", provider=ask.provider)
    return _Builder(ask, dialect, claude(name), name).request()


class _Builder:
    """One request on its way."""

    def __init__(self, ask: Ask, dialect: Dialect, model: Claude, name: str) -> None:
        turns = list(ask.turns)
        start = next((place for place, turn in enumerate(turns) if turn.role is not Role.SYSTEM), len(turns))
        self._ask = ask
        self._dialect = dialect
        self._model = model
        self._name = name
        self._system = turns[:start]
        self._turns = turns[start:]
        self._omissions = Omissions(ask.provider, lenient=ask.lenient)
        self._conversation = Conversation(Blocks(ask.provider, name), model)
        self._tools = tools_of(ask.options)
        self._output = option(ask.options, OutputOption)
        self._marks = dialect.marks and (option(ask.options, PromptCacheOption) or PromptCacheOption()).marks

    def request(self) -> WireRequest:
        """The request.

        The order of its parts is that of the vendor's prompt cache, and the
        bytes of each depend on nothing else.
        """
        place = self._last_unit()
        last = self._conversation.last(self._turns[place:])
        max_tokens = _max_tokens(self._ask.spec, self._ask.options, self._model)
        thought = self._thinking(max_tokens, last)
        fields: dict[str, Any] = {"model": self._name, "max_tokens": max_tokens, "stream": True}
        fields |= sampling(self._ask.spec, self._model, self._omissions, thinks=thought.asked)
        leave_media(self._turns, why_not, self._omissions)
        if thought.option is not None:
            fields["thinking"] = thought.option
        schema = answer_schema(self._output, self._model)
        config = {"effort": thought.effort} if thought.effort is not None else {}
        if config or schema is not None:
            fields["output_config"] = config | ({"format": _format(schema)} if schema is not None else {})
        messages = self._messages(
            place, end(last, marked=self._marks, prefill=self._model.prefill and not thought.asked)
        )
        parts = [to_json(fields)[:-1], *self._tool_parts(thought), *self._system_parts(), *messages]
        beta = {} if thought.beta is None else {"anthropic-beta": thought.beta}
        return WireRequest(
            path="messages",
            body=b"".join(parts),
            headers={"anthropic-version": VERSION, **beta},
            notices=self._omissions.notices,
        )

    def _last_unit(self) -> int:
        """Where what is encoded in a form of its own begins, with something of the user where there is anything."""
        goes_on, turns = self._conversation.goes_on, self._turns
        place = last_unit(turns, goes_on)
        if all(turn.role is Role.ASSISTANT for turn in turns[place:]):
            place = last_unit(turns[:place], goes_on)
        return place

    def _thinking(self, max_tokens: int, last: Sequence[Message]) -> Thinking:
        """What is said of thinking; none with a budget while calls are answered that came without it."""
        thought = thinking(
            self._ask.spec.thinking_level,
            self._model,
            max_tokens,
            self._omissions,
            controls_binding=self._dialect.controls_binding,
        )
        return Thinking() if self._model.thinks == "budget" and thought.asked and lacks_thinking(last) else thought

    def _tool_parts(self, thought: Thinking) -> Sequence[bytes]:
        answer = answer_tool(self._output, self._tools, self._model)
        encoded = keep_of_tools(
            self._ask.encoded,
            ("anthropic", "tools", answer and answer.name, self._marks),
            [*self._tools, *([] if answer is None else [answer.schema])],
            lambda: tools_json(self._tools, answer, marked=self._marks),
        )
        if not encoded:
            return ()
        choice = None if answer is None else _choice(answer.name, bool(self._tools), self._model, thought)
        return [b',"tools":', encoded, *([b',"tool_choice":', to_json(choice)] if choice is not None else [])]

    def _system_parts(self) -> Sequence[bytes]:
        key = ("anthropic", "system", self._marks)
        encoded = keep(self._ask.encoded, key, self._system, lambda: system(self._system, marked=self._marks))
        return [b',"system":', encoded] if encoded else ()

    def _messages(self, place: int, last: bytes) -> Sequence[bytes]:
        """The messages, in pieces, with the end of the request."""
        conversation = self._conversation
        key = ("anthropic", self._ask.provider, self._name)
        earlier = self._turns[:place]
        pieces = encode_units(earlier, conversation.goes_on, conversation.encode, kept=self._ask.encoded, key=key)
        if last:
            pieces = [*pieces, last]
        if not pieces:
            raise BadRequestError(
                "expected a conversation with a message, got none; say something", provider=self._ask.provider
            )
        opening = [] if pieces[0].startswith(_USER) else [OPENING]
        return [b',"messages":[', b",".join([*opening, *pieces]), b"]}"]


def _max_tokens(spec: Spec, options: Sequence[Option], model: Claude) -> int:
    limit = option(options, MaxTokensOption)
    if limit is not None and limit.tokens > 0:
        return limit.tokens
    given, window = spec.max_output_tokens, spec.window
    if given is not None and given > 0:
        return given
    return (
        min(model.max_output_tokens, max(window // 2, 1))
        if window is not None and window > 0
        else model.max_output_tokens
    )


def _format(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "json_schema", "schema": schema}


def _choice(name: str, has_tools: bool, model: Claude, thought: Thinking) -> Mapping[str, Any] | None:
    """Which tool has to be called, where a model lets itself be told."""
    if thought.asked or not model.prefill:
        return None
    return {"type": "any"} if has_tools else {"type": "tool", "name": name}
