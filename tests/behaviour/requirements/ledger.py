"""Turns, states, threads, views, pairing and records."""

from behaviour._requirements import deviates, held, promise

NULLS = "Optional fields are written as null."
TURN = (
    "`Turn`: frozen: `id, parent_id, role, artifacts, timestamp, status (complete | interrupted | failed), "
    "control (continue | stop | skip), model, origin`."
)
JOURNAL = (
    "The log is the journal. Recovery reads the last records and continues; nothing is replayed, so transforms, "
    "handlers and patterns need not be deterministic."
)
STORE = "`Store`, append-only, two halves, without clocks or owners."
ERRORS = "Missing, corrupt and conflicting are different errors."
SQLITE = "**SQLite, the default**: standard library driver, one writer thread"

REQUIREMENTS = (
    held("C035", "An empty thread has no turns and no tip."),
    held("C036", "Adding makes one turn with the role and the artifacts and an id of its own; the tip is on it."),
    held("C037", "The first turn has no parent, each later one follows the one before."),
    held("C038", "An added turn has the control continue."),
    held("C039", "The time of a turn comes from the clock that was passed in."),
    held("C040", "A thousand ids differ, each 16 lower-case hexadecimal characters."),
    held("C042", "A turn with control stop begins the path; earlier turns stay in the tree."),
    held("C045", "A parent that does not exist ends the path there."),
    held("C046", "A turn that is made a root has no ancestors on the path; they stay stored."),
    held("C047", "Changing the control of a turn that does not exist does nothing."),
    held("C048", "A saved turn is stored and the tip stays."),
    held("C049", "What turns() returned cannot be changed and does not change the thread."),
    held("C050", "Handles of one state share their facts; a missing key is None."),
    held("C051", "All facts are a copy."),
    held("C052", "Prepended turns come first, in their order, then the base's."),
    held("C056", "Appends and facts through a view reach the base."),
    held("C057", "What a view returned cannot be changed and does not change the view."),
    held("C058", "A view without the system turns shows only the others."),
    deviates(
        "C059",
        "A turn's JSON has id, role, artifacts and an RFC 3339 timestamp, and no key for what is empty; here every "
        "field is written.",
        design=NULLS,
    ),
    deviates(
        "C061",
        "Control stands in metadata in JSON; here it is a field of the turn. The original's form is read.",
        design=TURN,
    ),
    held("C063", "Turns read back with the types and fields of their artifacts; none stays none."),
    held("C064", "A turn without artifacts in JSON loads with none and keeps the rest."),
    deviates("C065", "A repository with nothing stored has no turns and no tip; here a new thread.", design=STORE),
    deviates(
        "C066",
        "A saved turn comes back, and the tip moves only when told; here the record of a turn moves the tip, so that "
        "both are one write.",
        design=JOURNAL,
    ),
    deviates("C070", "The journal's accessor returns a copy; here what a log amounts to is a copy.", design=JOURNAL),
    deviates(
        "C071",
        "A file for each thread, a line for each append; here records in a store, each one JSON line.",
        design=SQLITE,
    ),
    deviates("C072", "A missing journal file is an empty thread; here a missing thread is an error.", design=ERRORS),
    deviates("C074", "Threads do not leak into each other; here in the store.", design=STORE),
    deviates("C076", "Saving a null turn is an error; here no record can hold or read one.", design=JOURNAL),
    held("K3", "A state takes whole turns; adding a role and artifacts makes one by the same way."),
    held("K5", "A view knows its base, however deep views are nested, and appends there."),
    held("K15", "Facts change by operations; an empty value is not a deletion and is written."),
    held("L1", "A turn with every combination of optional fields keeps its artifacts in JSON."),
    held("L6", "Calls without a result are found, so that they can be answered before the next inference."),
    held("L8", "A walk along parents ends, and a cycle is refused."),
    held("L15", "A record of a kind that only a newer ore knows is passed over; the rest is read."),
    held("L16", "The record of a turn carries the move of the tip."),
    held("L18", "Loading turns without ids gives each its own and keeps the same state object."),
    held("P12", "The turn that was placed is the turn that is stored, its time included."),
    held("P26", "Control data is never content: a turn with a control artifact is refused."),
    held("P36", "Tip, control, parent and facts come back from the log as they were."),
    held("N01", "Id, time and parent are given once, before a turn is stored or shown."),
    held("N03", "Unanswered calls are found from the turns alone."),
    held("N04", "Parents in a circle end the walk."),
    held("B10", "A call whose id was used in an earlier round is a call of its own."),
    promise("D-same-object", 4, "What is stored and what the event carries is the same object."),
    promise("D-no-deltas", 4, "A turn with a fragment or a control artifact is refused."),
    promise("D-window", 4, "The path is an immutable window over one append-only list; taking it copies nothing."),
    promise("D-path", 4, "The path is the walk from the tip: skip hides, stop ends."),
    promise("D-replace-in-place", 4, "Replacing all turns keeps the state object, or fails and changes nothing."),
    promise("D-prepend-live", 4, "Prepended turns stand before the base's as they are now."),
    promise("D-view-frozen", 4, "A view shows the turns it was made with, and no later ones."),
    promise("D-parent-cycles", 4, "Hanging a turn below its own descendant is refused."),
    promise("D-sendable", 4, "No tip, control or parent change parts a call from its result: it moves or is refused."),
    promise(
        "D-unanswered", 4, "Looking for unanswered calls goes back to the last turn that settles them, no further."
    ),
    promise("D-pairing", 4, "Results pair with calls by position where ids repeat."),
    promise("D-call-key", 4, "A call's key is the turn's id and its place among the turn's calls."),
    promise("D-log", 4, "Folding the records of a log gives the thread that wrote them."),
    promise("D-effects", 4, "The results of a tool turn settle the effects of the calls that it answers."),
    promise("D-conflict", 4, "A turn whose id is there already is a conflict and changes nothing."),
    promise("D-legacy-turns", 3, "Turns of the original's shapes are read: enveloped artifacts, control in metadata."),
)
