"""Guards that are rules."""

import re
from collections.abc import Awaitable

from ore.ext.transforms.guardrails.verdict import Guard, Looked, Verdict, block, rewrite

__all__ = ["matching", "only_tools", "redacting"]


def matching(pattern: str | re.Pattern[str], verdict: Verdict | None = None) -> Guard:
    """What a pattern is found in is blocked, or whatever `verdict` says.

    Args:
        pattern: A regular expression, looked for anywhere in the text.
        verdict: Another verdict, such as `ask("may it read your mail?")`.
    """
    compiled = re.compile(pattern)
    given = verdict or block(f"it matches {compiled.pattern!r}")

    def guard(looked: Looked) -> Verdict | None:
        return given if compiled.search(looked.text) else None

    return guard


def redacting(pattern: str | re.Pattern[str], replacement: str = "[redacted]") -> Guard:
    """What a pattern is found in goes on without it; of a call every text among its arguments.

    Args:
        pattern: A regular expression.
        replacement: What stands in its place, as for `re.sub`.
    """
    compiled = re.compile(pattern)

    def cleaned(value: object) -> object:
        if isinstance(value, str):
            return compiled.sub(replacement, value)
        if isinstance(value, dict):
            return {key: cleaned(item) for key, item in value.items()}
        return [cleaned(item) for item in value] if isinstance(value, list | tuple) else value

    def guard(looked: Looked) -> Verdict | None:
        if looked.arguments is None:
            text = compiled.sub(replacement, looked.text)
            return rewrite(text, "something was redacted") if text != looked.text else None
        arguments = {key: cleaned(value) for key, value in looked.arguments.items()}
        return rewrite(arguments, "something was redacted") if arguments != looked.arguments else None

    return guard


def only_tools(*names: str, guard: Guard) -> Guard:
    """A guard for the calls of some tools; everything else passes."""

    def chosen(looked: Looked) -> Verdict | Awaitable[Verdict | None] | None:
        return guard(looked) if looked.tool in names else None

    return chosen
