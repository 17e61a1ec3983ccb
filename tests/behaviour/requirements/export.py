"""Export: threads as text and as pages, for people."""

from behaviour._requirements import held

_ISSUE = "issue 7, export"
_SPEC = "spec/extensions.md section 5, without its faults"

REQUIREMENTS = (
    held(
        "D-export-text",
        "A thread as text: facts in order, turns with their time, every kind of artifact.",
        source=_SPEC,
    ),
    held("D-export-html", "A thread as one page: texts rendered, thinking folded, pictures inside it.", source=_SPEC),
    held(
        "D-export-pairs",
        "Results stand with their calls across turns, parallel ones and repeated ids too.",
        source=_SPEC,
    ),
    held("D-export-branches", "Every turn of every branch is told once, wherever the tip is.", source=_ISSUE),
    held(
        "D-export-inert",
        "Whatever stands in a thread is text on its page: in real Chromium nothing runs and nothing is loaded.",
        source=_ISSUE,
    ),
)
