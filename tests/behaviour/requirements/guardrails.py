"""Guardrails: what people, models and calls may not say."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "D-thread-waits",
        "A tool in a thread can have the loop do something and wait, as long as its call goes on.",
        source="issue 7, build 1: guardrails on calls",
    ),
    held(
        "D-screens",
        "An agent looks at messages before it takes them in, wherever it works; also what steers, and what was left.",
        source="issue 7, build 1: guardrails on input",
    ),
)
