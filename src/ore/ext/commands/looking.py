"""`/tools`, `/usage`, `/analytics`: what there is, what was used, what the conversation consists of."""

from collections.abc import Iterator

from ore.artifact import Usage
from ore.ext.commands.invocation import Invocation
from ore.ext.observe.analytics import analytics as count
from ore.ext.observe.analytics_table import analytics_table
from ore.ext.observe.usage import SessionUsage, session_usage
from ore.session import answering, store_of
from ore.tool import Tool

__all__ = ["analytics", "tools", "usage"]


async def tools(invocation: Invocation) -> None:
    """List the tools that the next inference has."""
    agent = answering(invocation.stream).agent
    found = agent.tools(invocation.stream.history.state) if agent.tools is not None else ()
    invocation.say("\n".join(map(_line, found)) or "there are no tools")


async def usage(invocation: Invocation) -> None:
    """Say what the session used, with the agents inside its calls."""
    stream = invocation.stream
    report = await session_usage(store_of(stream), stream.id)
    invocation.say("\n".join(_lines(report)) or "nothing was used yet")


async def analytics(invocation: Invocation) -> None:
    """Show what the conversation consists of, as a table."""
    invocation.say(analytics_table(count(invocation.stream.history.all_turns)))


def _line(tool: Tool) -> str:
    about = tool.description.strip().partition("\n")[0]
    asks = "" if tool.traits.approve is False else " (asks first)"
    return f"- {tool.name}: {about}{asks}" if about else f"- {tool.name}{asks}"


def _lines(report: SessionUsage) -> Iterator[str]:
    if not report.models and report.inside == Usage():
        return
    yield f"session: {_counts(report.total)}"
    told = [run for run in report.runs if run.turns]
    if told:
        yield f"last message: {_counts(told[-1].usage)}"
    if len(report.models) > 1:
        for name, used in sorted(report.models.items()):
            yield f"{name or 'unknown'}: {_counts(used)}"
    if report.inside != Usage():
        yield f"agents inside calls: {_counts(report.inside)}"


def _counts(used: Usage) -> str:
    sent, received = used.prompt_tokens, used.completion_tokens
    total = used.total_tokens if sent is None or received is None else sent + received
    parts = [f"{_of(total)} tokens ({_of(used.prompt_tokens)} sent, {_of(used.completion_tokens)} received)"]
    parts += [f"{used.cache_read_tokens:,} from caches"] if used.cache_read_tokens else []
    parts += [f"{used.cost_usd} USD"] if used.cost_usd is not None else []
    return ", ".join(parts)


def _of(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"
