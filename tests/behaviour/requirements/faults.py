"""What holds whatever dies, stops, fails or fills up."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    promise("D-faults-seams", 4, "Killed at any seam, nothing acknowledged is lost and the next process goes on."),
    promise("D-faults-once", 1, "A finished tool call is never run again; a started one is unknown or runs again."),
    promise("D-faults-same-id", 4, "A sender that heard nothing sends again under the same id, and it is one message."),
    promise("D-faults-questions", 7, "Open questions survive a kill, are answered once, and waiting is no attempt."),
    promise("D-faults-interrupt", 4, "An interrupt that was durable ends the message at the next attach."),
    promise("D-faults-steering", 5, "A message that joined another shares its outcome over a kill."),
    promise("D-faults-attempts", 4, "What kills its process fails with code limit the fourth time it is found."),
    promise("D-faults-shutdown", 8, "Shutdown leaves everything for the next process, however often."),
    promise("D-faults-owner", 4, "A session has one owner; a dead one's is had at once, a fenced one writes nothing."),
    promise("D-faults-store", 4, "What is sent again after the store failed is answered once."),
    promise("D-faults-close", 8, "Closing races submitting and every message ends once, or goes on."),
    promise("D-faults-disk", 4, "A full disk is an error, and the session goes on when there is room."),
    promise("D-faults-damage", 4, "Damage is told as corrupt, hangs nothing, and hides no other session."),
    promise("D-faults-migration", 4, "Of many processes that migrate one file at once each step is taken once."),
    promise("D-faults-placement", 4, "Every placement keeps one contract: limits, drain, one owner, no row left."),
    promise("D-faults-random", 1, "After 200 kills at random points every log is sound and every session sendable."),
    promise("D-faults-leaks", 8, "No task, thread or descriptor is left after 2,000 open and close cycles."),
    promise("D-faults-appends", 4, "Four processes with 300 appends each on one file: no failure, no lost row."),
    held(
        "D-faults-sendable",
        "A pure checker knows what strict vendors refuse in a history.",
        source="spec/cases.md, strict fake",
    ),
)
