"""Context manifests: what a model was sent."""

from behaviour._requirements import held

MUST = "issue 7, must hold: the context manifest"

REQUIREMENTS = (
    held(
        "D-manifest",
        "Each inference says what was sent, by part and tokens, and which transform changed it, off the path of a "
        "fragment.",
        source=MUST,
    ),
    held(
        "D-manifest-difference",
        "Of two consecutive requests the first byte that differs is named rightly for each kind of change.",
        source=MUST,
    ),
    held(
        "D-manifest-recomputed",
        "What an answer does not say of its request is told from the ledger, as far as that knows.",
        source="issue 7, build 1: ore sessions show ID --context",
    ),
    held(
        "D-cli-context",
        "`ore sessions show ID --context` prints what was sent for each answer, as lines and as JSON.",
        source="issue 7, build 1",
    ),
)
