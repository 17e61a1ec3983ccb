"""What OpenAI's models take by their names: those that reason refuse what steers sampling."""

import re
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["check_model_takes", "check_tools_beside_thinking", "reasons"]

_REASONS: Final = re.compile(r"o\d|gpt-[5-9](?!.*-chat)")
_NEVER_SAMPLES: Final = re.compile(r"o\d|gpt-5(?![.\d])")
_REASONS_UNASKED: Final = re.compile(r"o\d|gpt-5(?![.\d]|.*-chat)|gpt-(5\.[5-9]|[6-9])(?!.*-chat)")
"""The o series and the first of the fifth generation reason always; later ones
may be asked not to, and then they sample; those up to 5.4 do not unless they
are asked (OpenAI, "Using reasoning models", read 2026-11)."""

_NO_TOOLS: Final = re.compile(r"gpt-(5\.[4-9]|[6-9])(?!.*-chat)")
"""Chat completions let them reason or call functions (OpenAI, "GPT-6 Luna", read 2026-11)."""

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
    if not _NEVER_SAMPLES.match(model) and not _is_reasoned(model, _effort(fields)):
        return
    for name, default in _SAMPLING.items():
        if name in fields and fields[name].value != default:
            fields[name].refuse(f"only {default} for {model!r}, which reasons", repr(fields[name].value))


def check_tools_beside_thinking(fields: dict[str, At]) -> None:
    """Check a chat completion with tools: its model may have to be told not to reason."""
    model = fields["model"].text()
    if "tools" not in fields or not _NO_TOOLS.match(model):
        return
    effort = _effort(fields)
    if _is_reasoned(model, effort):
        said = f"tools without reasoning for {model!r}: reasoning_effort 'none', or Responses"
        fields["tools"].refuse(said, f"reasoning_effort {effort!r}")


def _effort(fields: dict[str, At]) -> object:
    """What is asked for, over chat completions or Responses."""
    if "reasoning_effort" in fields:
        return fields["reasoning_effort"].value
    return fields["reasoning"].key("effort").value if "reasoning" in fields else None


def _is_reasoned(model: str, effort: object) -> bool:
    return effort != "none" and (effort is not None or _REASONS_UNASKED.match(model) is not None)
