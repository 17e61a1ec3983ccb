"""A model with a narrow window: it counts, refuses what does not fit, and reports what it counted."""

from collections.abc import AsyncGenerator, Callable, Sequence

from ore.artifact import Artifact, Media, StopReason, Text, ToolCall, ToolResult, Usage
from ore.errors import ContextOverflowError
from ore.ledger import State, Turn
from ore.models import Spec
from ore.provider import Batch, Option, tools_of

Answer = Callable[[Sequence[Turn]], Sequence[Artifact | Exception]]


class Narrow:
    """Answers from a function, within a window.

    Args:
        window: In tokens.
        answer: Makes the answer to turns; an error in it is raised.
        summary: What it answers when it is asked for a summary.
        bytes_per_token: Its tokenizer.

    Attributes:
        prompts: The turns of each prompt that it took.
        sizes: Their tokens.
        summed_up: The turns of each that asked for a summary.
        refused: How many it refused.
    """

    name = "narrow"

    def __init__(
        self,
        window: int,
        answer: Answer | None = None,
        *,
        summary: Sequence[Artifact | Exception] = (Text(content="They talked."),),
        bytes_per_token: float = 4.0,
    ) -> None:
        self.window = window
        self._answer = answer or (lambda turns: (Text(content=f"answer {len(turns)}"),))
        self._summary = summary
        self._bytes = bytes_per_token
        self.prompts: list[Sequence[Turn]] = []
        self.sizes: list[int] = []
        self.summed_up: list[Sequence[Turn]] = []
        self.refused = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        turns = state.turns
        size = self.count(turns) + sum(len(str(tool.schema)) for tool in tools_of(options)) // 8
        if size >= self.window:
            self.refused += 1
            raise ContextOverflowError(f"{size} tokens do not fit into {self.window}", provider=self.name)
        asked = "handover" in _text(turns[-1])
        (self.summed_up if asked else self.prompts).append(turns)
        if not asked:
            self.sizes.append(size)
        said = self._summary if asked else self._answer(turns)
        for artifact in said:
            if isinstance(artifact, Exception):
                raise artifact
            yield (artifact,)
        spoken = round(sum(len(_words(one)) for one in said if isinstance(one, Artifact)) / self._bytes)
        if not any(isinstance(artifact, StopReason) for artifact in said):
            yield (StopReason(reason="tool_use" if any(isinstance(one, ToolCall) for one in said) else "stop"),)
        yield (Usage(prompt_tokens=size, completion_tokens=spoken, total_tokens=size + spoken),)

    def count(self, turns: Sequence[Turn]) -> int:
        pictures = sum(isinstance(artifact, Media) for turn in turns for artifact in turn.artifacts)
        return 1_500 * pictures + sum(4 + round(len(_text(turn).encode()) / self._bytes) for turn in turns)


def _text(turn: Turn) -> str:
    return "".join(_words(artifact) for artifact in turn.artifacts)


def _words(artifact: Artifact) -> str:
    if isinstance(artifact, ToolCall):
        return artifact.name + artifact.arguments
    if isinstance(artifact, ToolResult):
        return artifact.content
    return "" if isinstance(artifact, Media) else artifact.for_model()
