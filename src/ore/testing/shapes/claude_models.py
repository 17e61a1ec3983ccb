"""What Anthropic's models take by their names.

By "Thinking", "Mid-conversation system messages" and "Claude API errors" of
the vendor's platform documentation (read 2026-11).
"""

import re
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["check_model_takes", "takes_prefill", "takes_system_messages"]

_NAME: Final = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:-(\d{1,2}))?(?:-[a-z]+)?(?:-|@|$)")
"""`claude-sonnet-4-5`, `claude-opus-4-20250514`, `claude-3-7-sonnet-latest`."""

_Version = tuple[int, int]
_NO_PREFILL: Final[_Version] = (4, 6)
_NO_SAMPLING: Final[_Version] = (4, 7)
_NO_BUDGET: Final[_Version] = (4, 7)
_ADAPTIVE: Final[_Version] = (4, 6)
_SYSTEM_MESSAGES: Final[_Version] = (4, 8)
_ONE_SAMPLER: Final[_Version] = (4, 1)


def takes_prefill(model: str) -> bool:
    """Whether a conversation may end with the beginning of the answer."""
    return _before(model, _NO_PREFILL)


def takes_system_messages(model: str) -> bool:
    """Whether a system message may stand among the others."""
    return not _before(model, _SYSTEM_MESSAGES) or _version(model) is None


def check_model_takes(fields: dict[str, At]) -> None:
    """Check options of a request against its model; a name that says nothing takes everything."""
    model = fields["model"].text()
    if _version(model) is None:
        return
    sampling = [name for name in ("temperature", "top_p", "top_k") if name in fields]
    if sampling and not _before(model, _NO_SAMPLING):
        fields[sampling[0]].refuse(f"no {sampling[0]} for {model!r}")
    if {"temperature", "top_p"} <= set(fields) and not _before(model, _ONE_SAMPLER):
        fields["top_p"].refuse(f"only one of temperature and top_p for {model!r}", "both")
    thinking = fields["thinking"].key("type").value if "thinking" in fields else None
    if thinking == "enabled" and not _before(model, _NO_BUDGET):
        fields["thinking"].key("type").refuse(f"adaptive for {model!r}", "'enabled'")
    if thinking == "adaptive" and _before(model, _ADAPTIVE):
        fields["thinking"].key("type").refuse(f"enabled, with budget_tokens, for {model!r}", "'adaptive'")


def _before(model: str, version: _Version) -> bool:
    """Whether a model is older than a version; one that has none in its name counts as older."""
    own = _version(model)
    return own is None or own < version


def _version(model: str) -> _Version | None:
    found = _NAME.match(model)
    return (int(found[1]), int(found[2] or 0)) if found else None
