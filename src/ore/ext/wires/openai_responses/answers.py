"""`AnswerItems`: a turn of the model as items, in the order in which they came.

What the model of this request issued goes back as it came, with its ids and
its encrypted content; what others issued, as plain messages and calls. Reasoning
is sent only with the very item behind it that followed it, and that item keeps
its id only behind its reasoning: the vendor refuses one without the other.
"""

from typing import Any, Final

from ore.artifact import Artifact, Image, Media, Reasoning, ServerTool, Text, ToolCall
from ore.ext.wires.answered import arguments_object
from ore.ext.wires.openai_responses.content import words_of
from ore.ext.wires.openai_responses.issued import Form, Issued, issued, picture, reasoning, without_identity
from ore.ledger import Turn
from ore.tool import wire_name

__all__ = ["AnswerItems"]

Item = dict[str, Any]

_PLAIN: Final = "plain"


class AnswerItems:
    """The items of one turn.

    Attributes:
        items: In order.
        calls: The calls, each with the type of its output.
        shown: Images and files in the turn that no item of the vendor's holds.
    """

    __slots__ = ("_form", "_halves", "_key", "_picture", "_run", "calls", "items", "shown")

    def __init__(self, turn: Turn, form: Form) -> None:
        self._form = form
        self.items: list[Item] = []
        self.calls: list[tuple[ToolCall, str]] = []
        self.shown: list[Media] = []
        self._run: list[Issued] = []
        self._key = ""
        self._picture: Issued | None = None
        self._halves = _halves(turn, form)
        for artifact in turn.artifacts:
            self._add(artifact)

    def _add(self, artifact: Artifact) -> None:
        made, self._picture = self._picture, None
        match artifact:
            case Image() if made is not None and artifact.data is not None:
                found = picture(made, artifact)
                self._place(found.item, found)
            case Media():
                self.shown.append(artifact)
            case Reasoning():
                if (thought := reasoning(artifact, self._form)) is not None:
                    self._run.append(thought)
                    self._key = ""
            case ToolCall():
                self._call(artifact)
            case ServerTool():
                self._server_tool(artifact)
            case _ if words := words_of(artifact):
                self._say(artifact, words)

    def _say(self, artifact: Artifact, words: str) -> None:
        """Words; those of one message stand in one item."""
        data = (artifact.provider_data if isinstance(artifact, Text) else None) or {}
        found = issued(data, self._form)
        found = found if found is not None and found.kind == "message" else None
        part = _answered(words, data if found is not None else {})
        key = _PLAIN if found is None else found.id
        if key and key == self._key:
            self.items[-1]["content"].append(part)
            return
        if found is None:
            self._place({"type": "message", "role": "assistant", "content": [part]})
        else:
            item = {**found.item, "role": "assistant", "content": [part]}
            self._place(item if "id" in item else without_identity("message", item) or item, found)
        self._key = key

    def _call(self, call: ToolCall) -> None:
        found = issued(call.provider_data, self._form)
        name = wire_name(call.name or "unknown")
        if found is not None and found.kind == "custom_tool_call" and name == call.name:
            self.calls.append((call, "custom_tool_call_output"))
            self._place({**found.item, "call_id": call.id, "name": name, "input": call.arguments}, found)
            return
        self.calls.append((call, "function_call_output"))
        arguments = bytes(arguments_object(call)).decode()
        item = {"type": "function_call", "call_id": call.id, "name": name, "arguments": arguments}
        is_as_issued = found is not None and found.kind == "function_call"
        if found is not None and is_as_issued and (name, arguments) == (call.name, call.arguments):
            self._place({**found.item, **item}, found)
        else:
            self._place(item)

    def _server_tool(self, artifact: ServerTool) -> None:
        data = artifact.provider_data
        found = issued(data, self._form)
        if found is None or data is None or found.item.get("call_id") in self._halves:
            return
        if data.get("image"):
            self._picture = found
        else:
            self._place(found.item, found)

    def _place(self, item: Item, found: Issued | None = None) -> None:
        """Put an item behind its reasoning, or without what would ask for that."""
        run, self._run, self._key = self._run, [], ""
        if found is not None and _leads(run, found):
            self.items += [thought.item for thought in run]
        elif found is not None and found.after is not None:
            kept = without_identity(found.kind, item)
            if kept is None:
                return
            item = kept
        self.items.append(item)


def _leads(run: list[Issued], found: Issued) -> bool:
    """Whether reasoning is all that stood before an item."""
    if not run or found.kind.endswith("_output"):
        return False
    links = [None, *(thought.id for thought in run)]
    return links == [*(thought.after for thought in run), found.after]


def _answered(words: str, data: dict[str, Any]) -> Item:
    if data.get("refusal"):
        return {"type": "refusal", "refusal": words}
    annotations = data.get("annotations")
    return {"type": "output_text", "text": words, "annotations": annotations if isinstance(annotations, list) else []}


def _halves(turn: Turn, form: Form) -> set[Any]:
    """Ids of what the vendor was about to run, or ran without being called; it takes neither back alone."""
    called: set[Any] = set()
    done: set[Any] = set()
    for artifact in turn.artifacts:
        found = issued(artifact.provider_data, form) if isinstance(artifact, ServerTool) else None
        if found is not None and isinstance(id := found.item.get("call_id"), str):
            (done if found.kind.endswith("_output") else called).add(id)
    return called ^ done
