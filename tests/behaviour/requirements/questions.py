"""Questions, steering, shutdown, and moving about in a session's history."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held(
        "B63",
        "Of parallel calls that need approval each is asked for by itself, and nothing runs twice, restarts included.",
    ),
    held(
        "B64",
        "Answers reach their own calls in any order; a second one and one to nobody are refused and change nothing.",
    ),
    promise("D-question-expires", 7, "A question may expire, and counts as denied then."),
    promise("D-question-waits", 7, "Waiting for a person counts as nobody's run time."),
    promise("D-steering-enters", 8, "What steers enters before the next inference; left over, it heads the queue."),
    promise("D-interrupt-mode", 8, "A message that interrupts cancels what runs, clears nothing and heads the queue."),
    promise("D-leave-parks", 8, "A shutdown cuts what runs and keeps it and all that waits for the next attach."),
    promise("D-attempts", 4, "A message found unfinished for the fourth time fails with code limit."),
    promise(
        "D-interrupt-durable", 4, "An interrupt that was noted ends its message also when the process died before."
    ),
    promise("D-tip", 4, "The tip moves back and forth; a call is never parted from its result."),
    promise("D-append-turn", 4, "A turn that is added while tools run stands behind their results."),
    promise("D-nothing-left", 8, "Opening and closing sessions leaves no task, thread or descriptor."),
    promise("D-portable", 4, "An export is lossless, and an import refuses what it cannot read and says why."),
)
