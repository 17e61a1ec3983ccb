"""Guardrails: what people, models and calls may not say."""

from behaviour._requirements import held

BUILD = "issue 7, build 1: guardrails"

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
    held("D-guard-input", "What people say is blocked, rewritten, or asked about before it is stored.", source=BUILD),
    held(
        "D-guard-output",
        "What models answer is blocked, rewritten, or asked about before it is stored, and before it is seen.",
        source=BUILD,
    ),
    held(
        "D-guard-calls",
        "What models call is blocked, rewritten, or asked about before it runs; what is asked about is what runs.",
        source=BUILD,
    ),
    held("D-guard-ask", "A person decides what a guard would not; where nobody is asked that is no.", source=BUILD),
    held("D-guard-fails", "What could not be checked does not pass, and no log tells of it.", source=BUILD),
    held("D-guard-model", "A model can be a guard, by a policy in words.", source=BUILD),
)
