"""Guards of what people say."""

from collections.abc import Sequence

import msgspec

from ore.agent import Screened
from ore.artifact import Artifact, Notice, Severity, Text
from ore.event import UserMessage, content_of
from ore.ext.transforms.guardrails.asking import allowed
from ore.ext.transforms.guardrails.judging import Judged, judge
from ore.ext.transforms.guardrails.verdict import Guard, Looked

__all__ = ["InputGuard"]


class InputGuard:
    """A screen: what is blocked is not taken in, and a notice says why; what is rewritten is all that is stored.

    It looks at the texts of a message, each by itself.

    Args:
        guards: Asked in order.
    """

    def __init__(self, guards: Sequence[Guard]) -> None:
        self._guards = tuple(guards)

    async def screen(self, message: UserMessage) -> Screened:
        """Let the message in, change it, or keep it out."""
        artifacts: list[Artifact] = []
        for place, artifact in enumerate(content_of(message.content)):
            if not isinstance(artifact, Text):
                artifacts.append(artifact)
                continue
            judged = await judge(self._guards, Looked(where="input", text=artifact.content))
            refused = judged.blocked or await _refused(judged, f"{message.id}:input{place}")
            if refused:
                notice = Notice(content=f"the message was not taken in: {refused}", severity=Severity.WARN)
                return Screened(message=None, notices=(notice,))
            artifacts.append(_rewritten(artifact, judged))
        changed = tuple(artifacts) != content_of(message.content)
        notices = (Notice(content="the message was changed before it was taken in"),) if changed else ()
        return Screened(message=msgspec.structs.replace(message, content=tuple(artifacts)), notices=notices)


async def _refused(judged: Judged, key: str) -> str | None:
    if judged.asks is None or await allowed(key, judged.asks, judged.looked.text):
        return None
    return "nobody allowed it"


def _rewritten(artifact: Text, judged: Judged) -> Text:
    if judged.rewritten is None:
        return artifact
    return Text(content=judged.looked.text)
