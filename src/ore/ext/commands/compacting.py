"""`/compact`: sum the conversation up now."""

from ore.artifact import Severity
from ore.ext.commands.invocation import Invocation
from ore.ext.transforms.compaction import compact as sum_up

__all__ = ["compact"]


async def compact(invocation: Invocation) -> None:
    """Sum the conversation up; what stands behind the name is what the summary keeps in mind above all."""
    boundary = await sum_up(invocation.stream, focus=invocation.text.strip())
    if boundary is None:
        invocation.say("there is nothing to sum up")
        return
    count, tokens = boundary.dropped_turn_count, boundary.dropped_token_estimate
    invocation.say(f"{count} turns (about {tokens:,} tokens) are summed up; /undo shows them again", Severity.SUCCESS)
