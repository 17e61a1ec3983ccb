"""What OpenAI's models take by their names: those that reason refuse what steers sampling."""

import re
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["check_model_takes", "reasons"]

_REASONS: Final = re.compile(r"o\d|gpt-[5-9](?!.*-chat)")
_NEVER_SAMPLES: Final = re.compile(r"o\d|gpt-5(?![.\d])")
"""The o series and the first of the fifth generation reason always; later ones
may be asked not to, and then they sample (OpenAI, "Using reasoning models",
read 2026-11)."""

_SAMPLING: Final = {"temperature": 1, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0}


def reasons(model: str) -> bool:
    """Whether a model of this name thinks before it answers."""
    return _REASONS.match(model) is not None


def check_model_takes(fields: dict[str, At]) -> None:
    """Check options of a request against its model; a name that says nothing takes everything."""
    model = fields["model"].text()
    if not reasons(model):
        if model.startswith(("gpt-4", "gpt-3.5")) and "reasoning_effort" in fields:
            fields["reasoning_effort"].refuse(f"no reasoning_effort for {model!r}, which does not reason")
        return
    if "max_tokens" in fields:
        fields["max_tokens"].refuse(f"max_completion_tokens for {model!r}", "max_tokens")
    effort = fields["reasoning_effort"].value if "reasoning_effort" in fields else None
    if not _NEVER_SAMPLES.match(model) and effort in (None, "none"):
        return
    for name, default in _SAMPLING.items():
        if name in fields and fields[name].value != default:
            fields[name].refuse(f"only {default} for {model!r}, which reasons", repr(fields[name].value))
