"""Patterns: verified answers, and hand-off."""

from behaviour._requirements import held

BUILD = "issue 7, build 2; spec/extensions.md section 11"

REQUIREMENTS = (
    held(
        "D-verified",
        "An answer counts when verifiers find nothing wrong; what they find goes back as a user's turn, so many times.",
        source=f"{BUILD}; section 14, D20",
    ),
    held("D-verified-parallel", "Verifiers work at once and are reported by name.", source=BUILD),
    held("D-verified-stops", "A verifier that could not find out, and a failure of the model, end it.", source=BUILD),
    held("D-verified-resumes", "After a crash the last answer is checked, not asked for again.", source=BUILD),
    held(
        "D-exec-verifier",
        "A command passes with status 0, fails with what it printed, is an error otherwise, and leaves nothing behind.",
        source=BUILD,
    ),
    held(
        "D-hand-off",
        "An agent hands a session on to another, with the whole conversation; the ledger says who works.",
        source="issue 7, build 2",
    ),
    held(
        "D-hand-off-facts",
        "What a session's facts say of the model holds for all agents of a hand-off.",
        source="issue 7, build 2",
    ),
    held(
        "D-hand-off-crash",
        "A crash in the middle of a hand-off leaves its calls answered and the right agent working.",
        source="issue 7, build 2",
    ),
)
