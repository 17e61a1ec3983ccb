"""`Claude`: what a model of this protocol takes, by its name.

By "Models overview", "Extended thinking", "Adaptive thinking", "Effort",
"Preserved thinking", "Structured outputs", "Mid-conversation system messages"
and the migration guides of each model, all of the vendor's platform
documentation (read 2026-11).
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

__all__ = ["Claude", "Off", "Thinks", "claude"]

Thinks = Literal["never", "budget", "adaptive"]
"""Whether a model thinks, with how many tokens it is told, or as hard as it is told."""

Off = Literal["unset", "disabled", "between_tools", "impossible"]
"""How a model is kept from thinking."""

_NEW: Final = re.compile(r"claude-([a-z]+)(?:-(\d{1,2})(?:[-.](\d{1,2}))?)?(?![\d.])")
"""`claude-sonnet-4-5`, `claude-opus-4-20250514`, `anthropic/claude-opus-4.5`, `claude-mythos-preview`."""

_OLD: Final = re.compile(r"claude-(\d{1,2})(?:[-.](\d{1,2}))?-(?!\d)([a-z]+)")
"""`claude-3-7-sonnet-latest`, `anthropic/claude-4.7-opus`."""

_DEFAULT_TOKENS: Final = (((3, 5), 4_096), ((3, 7), 8_192), ((4, 6), 32_000))
_LATER_TOKENS: Final = 64_000
_OTHER_TOKENS: Final = 8_192


@dataclass(frozen=True, slots=True, kw_only=True)
class Claude:
    """What a model takes.

    Attributes:
        is_claude: Whether its name says so; what another model takes is its server's business.
        max_output_tokens: How long an answer may get when nobody says, since
            the protocol wants a number. The most that models before 3.7 give;
            later ones give 64,000 to 128,000, but those before 4.5 refuse a
            prompt that does not fit beside it, so half. From 4.6 on thinking
            is part of it.
        thinks: Whether and how.
        off: How it is told not to.
        hides: Whether it shows nothing of its thinking unless it is asked to.
        binds: Whether it takes its thinking back only behind the very same beginning.
        samples: Whether it takes `temperature`, `top_p` and `top_k`.
        one_sampler: Whether it takes only one of the first two.
        prefill: Whether a conversation may end with the beginning of the answer.
        structured: Whether it decodes by a schema.
        system_messages: Whether system messages may stand behind others.
    """

    is_claude: bool = False
    max_output_tokens: int = _OTHER_TOKENS
    thinks: Thinks = "budget"
    off: Off = "unset"
    hides: bool = False
    binds: bool = False
    samples: bool = True
    one_sampler: bool = False
    prefill: bool = True
    structured: bool = False
    system_messages: bool = False


@lru_cache(maxsize=256)
def claude(model: str) -> Claude:
    """What the model of this name takes; one of a version that nobody knows yet is taken for the newest."""
    found = _OLD.search(model)
    if found is not None:
        return _claude(found[3], (int(found[1]), int(found[2] or 0)))
    found = _NEW.search(model)
    if found is None:
        return Claude()
    return _claude(found[1], (int(found[2]), int(found[3] or 0)) if found[2] else (5, 0))


def _claude(family: str, version: tuple[int, int]) -> Claude:
    return Claude(
        is_claude=True,
        max_output_tokens=next((tokens for limit, tokens in _DEFAULT_TOKENS if version < limit), _LATER_TOKENS),
        thinks="never" if version < (3, 7) else "budget" if version < (4, 6) else "adaptive",
        off=_off(family, version),
        hides=version >= (4, 7),
        binds=version >= ((5, 1) if family in ("fable", "mythos") else (5, 5)),
        samples=version < (4, 7),
        one_sampler=version >= (4, 1),
        prefill=version < (4, 6),
        structured=version >= ((4, 1) if family == "opus" else (4, 5)),
        system_messages=version >= (4, 8) and (family, version) != ("sonnet", (5, 0)),
    )


def _off(family: str, version: tuple[int, int]) -> Off:
    if version < (5, 0):
        return "unset"
    if family in ("fable", "mythos") or (family == "opus" and version >= (5, 5)):
        return "impossible"
    return "between_tools" if family == "sonnet" and version >= (5, 5) else "disabled"
