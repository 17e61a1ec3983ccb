"""A person decides what a guard would not."""

from ore.event import Question
from ore.tool import current_asker

__all__ = ["allowed"]


async def allowed(key: str, reason: str, content: str) -> bool:
    """Whether somebody says yes; where nobody is asked, and where none answers in time, that is no.

    Args:
        key: Of the question; the same one is asked once, also after a restart.
        reason: Why it is asked.
        content: What it is about.
    """
    question = Question(key=key, purpose="approval", text=f"{reason}\n\n{content}")
    answer = await current_asker().ask(question)
    return answer.decision == "approve"
