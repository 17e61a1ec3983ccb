"""`subagent`: another agent as a tool."""

from collections.abc import Callable

from ore.agent import AgentSpec
from ore.errors import ToolError
from ore.tool import ChildOutcome, StaticTools, Tool, ToolContext, Toolset, keep_open, tool

__all__ = ["TIMEOUT_S", "subagent"]

TIMEOUT_S = 3600.0
"""An agent inside a call may work for an hour; waiting for people does not count."""


def subagent(
    name: str,
    description: str,
    agent: Callable[[], AgentSpec],
    *,
    timeout_s: float = TIMEOUT_S,
    toolset: Toolset | None = None,
) -> Tool:
    """Make a tool of an agent; `Agent.as_tool` does it for agents of the front door.

    Each call is a conversation of its own, which sees nothing of the caller's
    but the prompt. Several run side by side. Its events come inside the call's
    (`context.path`), what its tools ask is asked in the caller's session, its
    tokens count for the caller's limits too, and cancelling the call cancels
    it. It is stored beside its caller's: after a crash it goes on where it
    was, and finished calls are not run again.

    The result is the text of its last answer, JSON where it has an output
    type. An agent that fails or is cancelled gives an error result.

    Args:
        name: Of the tool.
        description: What the agent is good for, for the model that may call it.
        agent: Makes the agent; asked for each call.
        timeout_s: Seconds after which a call ends with an error, and its agent as cancelled.
        toolset: Its tools, where they need something open: kept so while a call runs.
    """

    @tool(name=name, description=description, idempotent=True, timeout_s=timeout_s)
    async def ask_agent(context: ToolContext, prompt: str) -> str:
        """Ask another agent.

        Args:
            prompt: The task, with all that is needed to do it: the agent knows nothing else.
        """
        if not prompt.strip():
            raise ToolError("prompt: expected a task for the agent, got none")
        async with keep_open(toolset or StaticTools()):
            return _answer(name, await context.delegate(agent(), prompt))

    return ask_agent


def _answer(name: str, outcome: ChildOutcome) -> str:
    """The text of the answer.

    Raises:
        ToolError: There is none.
    """
    if outcome.status == "done" and outcome.text:
        return outcome.text
    so_far = outcome.text or None
    if outcome.error is not None:
        raise ToolError(f"agent {name!r} failed ({outcome.error.code}): {outcome.error.message}", result=so_far)
    if outcome.status == "done":
        raise ToolError(f"agent {name!r} ended without saying anything")
    raise ToolError(f"agent {name!r} was {outcome.status}", result=so_far)
