"""`ReAct`: infer, run the tools, infer again, until there is an answer."""

from ore.artifact import StopReason, Text, ToolCall
from ore.cognitive.pattern import Runtime
from ore.errors import LimitError, OutputLimitError, ProtocolError
from ore.ledger import Draft, Role, Turn

__all__ = ["ReAct"]


class ReAct:
    """Repeats inferences while the model calls tools.

    It stops at an answer without calls, at the limit of rounds, when the
    output limit cuts its calls again and again, and when nothing moves.
    """

    @property
    def name(self) -> str:
        """`react`."""
        return "react"

    async def run(self, runtime: Runtime) -> Turn:
        """Work until the model answers without calling a tool.

        Raises:
            LimitError: The rounds are used up, or no turn was added.
            ProtocolError: The answer did not fit its type, again and again;
                what was wrong stands in the ledger, but for the last time.
            OutputLimitError: The output limit cut the calls too often in a row.
        """
        cut = rejected = 0
        for _ in range(runtime.limits.rounds):
            tip = runtime.state.tip
            turn = await runtime.turn()
            if runtime.state.tip == tip:
                raise LimitError("no progress: the inference added no turn to the ledger that it was given")
            if not self.ends(turn):
                cut = cut + 1 if _cut(turn) else 0
                if cut >= runtime.limits.cut_rounds:
                    raise OutputLimitError(
                        f"the output limit cut the tool calls of {cut} answers in a row; raise max_output_tokens"
                    )
                continue
            cut = 0
            wrong = runtime.check(turn) if runtime.check else None
            if wrong is not None:
                rejected += 1
                await self._reject(runtime, wrong, rejected)
            elif not runtime.waits():
                return turn
        raise LimitError(f"expected an answer within {runtime.limits.rounds} rounds; raise the limit or ask for less")

    def ends(self, draft: Draft | Turn) -> bool:
        """A turn without calls ends it."""
        return ToolCall not in map(type, draft.artifacts)

    async def _reject(self, runtime: Runtime, wrong: str, count: int) -> None:
        if count > runtime.limits.output_retries:
            raise ProtocolError(f"expected an answer of its type; the model gave {count} that do not fit")
        await runtime.step.submit(runtime.state, Role.USER, Text(content=wrong))


def _cut(turn: Turn) -> bool:
    reasons = [artifact.reason for artifact in turn.artifacts if type(artifact) is StopReason]
    return "length" in reasons
