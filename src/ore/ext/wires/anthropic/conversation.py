"""`Conversation`: turns as the messages of a request.

Rules beyond what the vendor's protocol says itself:

- System turns in front go to the top of the request, as `system`. Later ones
  keep their place. A model that takes system messages gets one where it may
  stand, which is behind all that the user said, before the next answer;
  everywhere else it is text of the user between `<system>` and `</system>`.
- Adjacent turns of one side are one message; the results of calls stand first,
  in the order of the calls.
- A call without a result gets one that says so. A result without its call is
  text of the user.
- Thinking at the end of an answer is left out, and so is what the vendor was
  about to run when the answer was cut: it takes neither back.
- A conversation that begins with an answer gets a line of the user before it.
- One that ends with an answer is the beginning of the next one, without white
  space at its end. Where a model does not take that, the user asks it to go
  on, unless the vendor paused in the middle of its own tools.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ore.artifact import Artifact, Media, ToolCall, ToolResult, to_json
from ore.ext.wires.answered import answered
from ore.ext.wires.anthropic.blocks import Block, Blocks, call_id, text_block
from ore.ext.wires.anthropic.claude import Claude
from ore.ledger import Role, Turn, TurnStatus

__all__ = ["MARK", "OPENING", "Conversation", "Message", "end", "lacks_thinking", "system"]

Message = dict[str, Any]
"""Role and blocks."""

_Calls = list[tuple[ToolCall, str]]
"""Calls that wait for their results, with the ids under which they are sent."""

MARK: Final[Mapping[str, str]] = {"type": "ephemeral"}
"""What marks the end of what shall be cached: "Prompt caching" of the vendor's documentation (read 2026-11)."""

OPENING: Final = to_json(
    {"role": "user", "content": [{"type": "text", "text": "(The conversation begins with an answer.)"}]}
)
"""In front of a conversation that begins with an answer."""

GO_ON: Final[Message] = {"role": "user", "content": [{"type": "text", "text": "Go on where you stopped."}]}

_SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")
_THINKING: Final = ("thinking", "redacted_thinking")


class Conversation:
    """Encodes the turns of one request, a unit at a time.

    Args:
        blocks: Makes the blocks.
        model: What the model takes.
    """

    def __init__(self, blocks: Blocks, model: Claude) -> None:
        self._blocks = blocks
        self._system_messages = model.system_messages
        self._own_ids = model.binds

    def goes_on(self, before: Turn, turn: Turn) -> bool:
        """Whether a turn belongs to the unit of the one before it: a unit is answers and what the user says to them.

        A turn of which nothing may be left never begins one, so that what
        stands around it is merged.
        """
        return turn.role is not Role.ASSISTANT or before.role is Role.ASSISTANT or not (_says(before) and _says(turn))

    def encode(self, turns: Sequence[Turn]) -> bytes:
        """The messages of a unit that others follow, joined by commas."""
        return _encoded(self._messages(turns))

    def last(self, turns: Sequence[Turn]) -> list[Message]:
        """The messages of the last unit, which `end` completes."""
        return self._messages(turns, is_last=True)

    def _messages(self, turns: Sequence[Turn], *, is_last: bool = False) -> list[Message]:
        messages: list[Message] = []
        place, count = 0, len(turns)
        calls: _Calls = []
        while place < count:
            end = place
            is_answer = turns[place].role is Role.ASSISTANT
            while end < count and (turns[end].role is Role.ASSISTANT) is is_answer:
                end += 1
            if is_answer:
                _add(messages, "assistant", self._answer(turns[place:end], calls, is_last=is_last and end == count))
            else:
                self._add_asked(messages, turns[place:end], calls)
                calls = []
            place = end
        if calls:
            _add(messages, "user", self._results((), calls)[0])
        return messages

    def _answer(self, turns: Sequence[Turn], calls: _Calls, *, is_last: bool) -> list[Block]:
        """The blocks of answers in a row; their calls are noted with the ids under which they are sent."""
        blocks: list[Block] = []
        for turn in turns:
            index = 0
            for artifact in turn.artifacts:
                if isinstance(artifact, ToolCall):
                    id = call_id(artifact, turn, index, own=self._own_ids)
                    calls.append((artifact, id))
                    blocks.append(self._blocks.call(artifact, id))
                    index += 1
                elif (block := self._blocks.answer(artifact)) is not None:
                    blocks.append(block)
        is_whole = is_last and turns[-1].status is TurnStatus.COMPLETE
        blocks = _paired(blocks, may_wait=bool(calls) or is_whole)
        while blocks and blocks[-1]["type"] in _THINKING:
            blocks.pop()
        return blocks

    def _add_asked(self, messages: list[Message], turns: Sequence[Turn], calls: _Calls) -> None:
        """Add what the tools, the user and the system say between two answers."""
        end = len(turns)
        while self._system_messages and end > 0 and turns[end - 1].role is Role.SYSTEM:
            end -= 1
        results, beside = self._results([turn for turn in turns if turn.role is Role.TOOL], calls)
        said = [block for turn in turns[:end] if turn.role is not Role.TOOL for block in self._said(turn)]
        _add(messages, "user", [*results, *beside, *said])
        _add(messages, "system", [block for turn in turns[end:] for block in _told(turn)])

    def _results(self, turns: Sequence[Turn], calls: _Calls) -> tuple[Sequence[Block], Sequence[Block]]:
        """The results of the calls, and what else stands beside them."""
        given = [artifact for turn in turns for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
        results, others = answered([call for call, _ in calls], given)
        blocks = [self._blocks.result(result, id) for result, (_, id) in zip(results, calls, strict=True)]
        lost = [text_block(f"A result without its call: {result.for_model()}") for result in others]
        rest = [
            self._blocks.content(artifact)
            for turn in turns
            for artifact in turn.artifacts
            if not isinstance(artifact, ToolResult)
        ]
        return blocks, [block for block in (*lost, *rest) if block is not None]

    def _said(self, turn: Turn) -> Sequence[Block]:
        if turn.role is Role.SYSTEM:
            return [_in_marks(block) for block in _told(turn)]
        return [block for block in map(self._blocks.content, turn.artifacts) if block is not None]


def end(messages: list[Message], *, marked: bool, prefill: bool) -> bytes:
    """The messages of the last unit in the form in which a conversation ends, joined by commas.

    Args:
        marked: Whether the user's last block is marked for the prompt cache.
        prefill: Whether the conversation may end with an answer.
    """
    if messages and messages[-1]["role"] == "assistant":
        _end_answer(messages, prefill=prefill)
    if marked:
        _mark(messages)
    return _encoded(messages)


def lacks_thinking(messages: Sequence[Message]) -> bool:
    """Whether the answer whose calls are being answered does not begin with thinking."""
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    if not answers or messages[-1]["role"] == "assistant":
        return False
    called = any(block["type"] == "tool_use" for block in answers[-1])
    return called and answers[-1][0]["type"] not in _THINKING


def system(turns: Sequence[Turn], *, marked: bool) -> bytes:
    """The blocks of the system turns in front of a conversation, as JSON; empty without any."""
    blocks = [block for turn in turns for block in _told(turn)]
    if blocks and marked:
        blocks[-1] = {**blocks[-1], "cache_control": MARK}
    return to_json(blocks) if blocks else b""


_SAYING: Final[Mapping[Role, tuple[type[Artifact], ...]]] = {
    Role.SYSTEM: (),
    Role.USER: (Media,),
    Role.ASSISTANT: (Media, ToolCall),
    Role.TOOL: (Media, ToolResult),
}
"""What is sent of a turn, whatever it holds; all else when there is text in it."""


def _says(turn: Turn) -> bool:
    """Whether something of a turn is sent for certain, whatever stands around it."""
    kinds = _SAYING[turn.role]
    return any(isinstance(artifact, kinds) or artifact.for_model().strip() for artifact in turn.artifacts)


def _told(turn: Turn) -> Sequence[Block]:
    """What a system turn says."""
    return [block for artifact in turn.artifacts if (block := text_block(artifact.for_model())) is not None]


def _in_marks(block: Block) -> Block:
    return {**block, "text": f"<system>\n{block['text']}\n</system>"}


def _paired(blocks: Sequence[Block], *, may_wait: bool) -> list[Block]:
    """The blocks without halves of what the vendor ran itself; a call may wait for a result that is still to come."""
    called: set[str] = set()
    done: set[str] = set()
    kept: list[Block] = []
    for block in blocks:
        if block["type"] in _SERVER_CALLS:
            called.add(block["id"])
        elif "tool_use_id" in block:
            if block["tool_use_id"] not in called:
                continue
            done.add(block["tool_use_id"])
        kept.append(block)
    return [block for block in kept if may_wait or block["type"] not in _SERVER_CALLS or block["id"] in done]


def _add(messages: list[Message], role: str, blocks: Sequence[Block]) -> None:
    """Add blocks to the last message of their side, else as a message of their own."""
    if not blocks:
        return
    before = messages[-1]["role"] if messages else None
    if role == "system" and before not in ("user", "system"):
        role, blocks = "user", [_in_marks(block) for block in blocks]
    elif before == "system" and role == "user":  # no place for one any more
        told = messages.pop()["content"]
        role, blocks = "user", [*map(_in_marks, told), *blocks]
        before = messages[-1]["role"]
    if role == before:
        messages[-1]["content"] = [*messages[-1]["content"], *blocks]
    else:
        messages.append({"role": role, "content": list(blocks)})


def _end_answer(messages: list[Message], *, prefill: bool) -> None:
    """Make an answer at the end one that the vendor takes there."""
    blocks = messages[-1]["content"]
    while blocks and blocks[-1]["type"] in (*_THINKING, "text"):
        text = blocks[-1].get("text", "").rstrip()
        if text:
            blocks[-1] = {**blocks[-1], "text": text}
            break
        blocks.pop()
    if not blocks:
        messages.pop()
        return
    kind = blocks[-1]["type"]
    if not prefill and kind not in _SERVER_CALLS and not kind.endswith("_tool_result"):
        messages.append(GO_ON)


def _mark(messages: list[Message]) -> None:
    """Mark the last block of the user."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message["role"] == "user":
            *rest, last = message["content"]
            messages[place] = {**message, "content": [*rest, {**last, "cache_control": MARK}]}
            return


def _encoded(messages: Sequence[Message]) -> bytes:
    return b",".join(map(to_json, messages))
