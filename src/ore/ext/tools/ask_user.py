"""`ask_user`: the model asks the person."""

from collections.abc import Sequence

from ore.artifact import to_json
from ore.errors import ToolError
from ore.tool import Tool, ToolContext, tool

__all__ = ["ask_user", "tools"]


@tool(idempotent=True)
async def ask_user(context: ToolContext, question: str, options: list[str] | None = None) -> str:
    """Ask the user when only they can decide or know, and wait for the answer.

    Args:
        question: One question, complete in itself.
        options: Answers to choose from, when there are only a few.
    """
    if not question.strip():
        raise ToolError("question: expected a question, got none")
    answer = await context.ask(question, options=tuple(options) if options else None)
    if answer.answer is not None:
        return answer.answer if isinstance(answer.answer, str) else to_json(answer.answer).decode()
    raise ToolError(f"the user was not asked: {answer.reason}" if answer.reason else "the user did not answer")


def tools() -> Sequence[Tool]:
    """The tool, for `--tool ask_user`."""
    return (ask_user,)
