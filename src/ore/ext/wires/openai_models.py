"""`Abilities`: what OpenAI's models take, by their names.

By "Using reasoning models" and the models' own pages (OpenAI's documentation,
read 2026-11), and by what the interface answers: `minimal` ended with GPT-5,
`none` began with GPT-5.1 and no Codex model takes it, nor do GPT-6 Astra and
GPT-6.1 Sol, `xhigh` began with GPT-5.1-Codex-Max and GPT-5.2, `max` with
GPT-5.6. Sampling is steered only where nothing is thought; GPT-5.1 to 5.4
think nothing unless told to. From GPT-5.4 on chat completions take functions
only where nothing is thought (the page of GPT-6 Luna says so, and the error:
"To use function tools, use /v1/responses or set reasoning_effort to 'none'").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ore.models import ThinkingLevel

__all__ = ["Abilities", "abilities", "effort_of", "reasons_at_openai"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What is known of a model.

    Attributes:
        reasons: Whether it thinks before it answers; `None` is unknown.
        efforts: The efforts it takes, from the least to the most.
        thinks_unasked: Whether it thinks when no effort is asked for.
        decodes_by_schema: Whether it can be held to a schema.
        thinks_beside_tools: Whether chat completions let it think and call
            functions; Responses always do.
    """

    reasons: bool | None
    efforts: Sequence[str] = ()
    thinks_unasked: bool = False
    decodes_by_schema: bool = True
    thinks_beside_tools: bool = True

    def samples(self, effort: str | None) -> bool:
        """Whether temperature and top_p are taken beside this effort; `None` is none asked for."""
        if not self.reasons:
            return True
        return effort == "none" or (effort is None and not self.thinks_unasked)


_UNKNOWN: Final = Abilities(reasons=None, efforts=("none", "low", "medium", "high"))
_PLAIN: Final = Abilities(reasons=False)
_FIRST: Final = Abilities(reasons=False, decodes_by_schema=False)
_O_SERIES: Final = Abilities(reasons=True, efforts=("low", "medium", "high"), thinks_unasked=True)

_SERIES: Final = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?![\d.])(.*)")
_ALWAYS_THINKS: Final = re.compile(r"6\.0-astra|6\.1-sol")
_BEFORE_SCHEMAS: Final = re.compile(r"gpt-3\.5|gpt-4(?![.o\d])|gpt-4o-2024-05-13")
_NEVER_REASONS: Final = re.compile(r"gpt-4|chatgpt-")
_REASONS: Final = re.compile(r"o\d|codex-|gpt-oss")


@lru_cache(maxsize=256)
def abilities(name: str) -> Abilities:
    """What a model of this name takes.

    A vendor in front of it, as gateways have it, and what makes it a
    fine-tuned one are passed over.
    """
    name = name.rpartition("/")[2].removeprefix("ft:").lower()
    if _BEFORE_SCHEMAS.match(name):
        return _FIRST
    if _NEVER_REASONS.match(name):
        return _PLAIN
    if _REASONS.match(name):
        return _O_SERIES
    found = _SERIES.match(name)
    if found is None:
        return _UNKNOWN
    return _of_series((int(found[1]), int(found[2] or 0)), found[3])


def reasons_at_openai(name: str) -> bool:
    """Whether a model is one of those that OpenAI itself runs and that think, whoever is asked for it."""
    return bool(abilities(name).reasons) and "gpt-oss" not in name.lower()


def _of_series(version: tuple[int, int], kind: str) -> Abilities:
    """A model since GPT-5."""
    if "-chat" in kind:
        return _PLAIN
    is_codex, is_pro = "-codex" in kind, "-pro" in kind
    has_most = version >= (5, 2) or "-codex-max" in kind
    always_thinks = is_codex or is_pro or version < (5, 1) or _ALWAYS_THINKS.match(f"{version[0]}.{version[1]}{kind}")
    known = (
        ("none", not always_thinks),
        ("minimal", version == (5, 0) and not is_codex and not is_pro),
        ("low", not is_pro),
        ("medium", not is_pro or version >= (5, 2)),
        ("high", True),
        ("xhigh", has_most),
        ("max", version >= (5, 6)),
    )
    efforts = tuple(effort for effort, is_taken in known if is_taken)
    return Abilities(
        reasons=True,
        efforts=efforts,
        thinks_unasked="none" not in efforts or not (5, 1) <= version <= (5, 4),
        thinks_beside_tools=version < (5, 4),
    )


_LEAST: Final = {
    ThinkingLevel.MINIMAL: ("minimal", "low", "medium", "high"),
    ThinkingLevel.LOW: ("low", "medium", "high"),
    ThinkingLevel.MEDIUM: ("medium", "high"),
    ThinkingLevel.HIGH: ("high",),
    ThinkingLevel.MAX: ("max", "xhigh", "high"),
}


def effort_of(level: ThinkingLevel, efforts: Sequence[str]) -> str | None:
    """The effort that comes nearest to a level; `None` when the model cannot do it.

    `off` is `none`, and a model that always thinks cannot do it; `max` is the
    most that there is.
    """
    if level is ThinkingLevel.OFF:
        return "none" if "none" in efforts else None
    return next((effort for effort in _LEAST[level] if effort in efforts), None)
