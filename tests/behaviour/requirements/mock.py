"""Strict fakes: the vendors' shapes, the mock server, and recordings that are decoded."""

from behaviour._requirements import held

_ISSUE = "issue 4, strict vendor shapes and a mock server"

REQUIREMENTS = (
    held(
        "D-shapes",
        "A request that OpenAI or Anthropic would refuse is refused, at the place that is wrong and without its "
        "content; what they take is taken.",
        source=f"{_ISSUE}; spec/cases.md, top",
    ),
)
