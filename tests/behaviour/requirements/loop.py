"""Events, the event bus and its readers, one inference turn, the one way into history."""

from behaviour._requirements import deviates, held, promise

CONTROL = (
    "A turn without sendable content is stored with `control=skip`, so its usage counts and no model ever gets it; a "
    "response without a single chunk is a protocol error."
)
EMIT = (
    "`emit(TurnComplete)` by anyone else appends only when its turn id is not there yet; with a journal it raises, "
    "naming `record`."
)
ENVELOPE = (
    "Envelope: one key, `context: {id, message?, provenance?, thread_id?, traceparent?, path?, attempt?, block?}`."
)
FAN_OUT = (
    "**FanOut** is one shared log of entries with a cursor per subscriber and one deferred wake-up, not a queue each."
)
NOTICE = "`notice` (success, info, warn, error)"

REQUIREMENTS = (
    # ── The original's tests ──
    held("C082", "A bound ledger has the turn before the first callback sees it."),
    held("C083", "Callbacks run in the order in which they were given, each to its end before the next."),
    held("C084", "Only turn_complete touches the ledger."),
    held("C085", "Without a ledger emitting tells and stores nothing."),
    held("C087", "A reader gets its kinds only, in the order of emitting."),
    held("C088", "A reader without kinds gets everything."),
    held("C089", "Two readers of one kind both get it."),
    held("C090", "What a reader did not ask for never reaches it; it just ends."),
    held("C094", "What is emitted in sequence arrives in sequence."),
    held("C095", "Readers come and go while others emit."),
    held("C096", "A third party's kind passes with its context."),
    held("C100", "A provider's error is raised as it is, and history stays as it was when nothing was seen."),
    deviates(
        "C101",
        "A provider that emits nothing leaves an empty assistant turn; here it broke the protocol and leaves none.",
        design=CONTROL,
    ),
    held("C102", "Fragments in a row fold into one block of each family."),
    held("C104", "Fragments of two calls in turns fold into two calls with all their arguments."),
    held("C106", "A complete artifact in the middle closes what is open: three texts."),
    held("C108", "Three fragments are four artifacts on the stream: the fragments, then the text."),
    held("C109", "Fragments that nobody reads are in history all the same."),
    held("C110", "The pipeline touches no ledger."),
    held("C112", "A provider's error is told when nobody reads, and hangs nobody."),
    held("C114", "Streaming is said with the first artifact, and not without one."),
    held("C116", "Transforms run in their order, each on what the one before returned."),
    held("C117", "A transform that raises stops before the provider and the later transforms; history stays."),
    held("C120", "Every handler sees every artifact, in order."),
    held("C125", "Usage reaches handlers with its numbers."),
    held("C126", "Handlers get the emitter that speaks to their turn's session."),
    held("C127", "Submitting records and tells one turn of any role, empty ones too."),
    held("C128", "Submitting runs the handlers; one that raises fails it, and the turn stays."),
    held("C129", "Submissions and turns keep one order, in history and in events."),
    held("C134", "A call shows the hint of its tool; nothing else is touched."),
    held("C135", "A call without a tool, or whose arguments are no object, shows plainly."),
    held("C137", "Turns, errors, phases and activities are flat JSON objects with their kind."),
    held("C138", "An artifact's event is the artifact's own object with an envelope."),
    deviates(
        "C139",
        "Without provenance an event has no context; here it always has one, with its id and what else is known.",
        design=ENVELOPE,
    ),
    deviates(
        "C141",
        "A notice says Success, Info, Warn or Error and shows an unknown number; here they are lower case, and an "
        "unknown one is info.",
        design=NOTICE,
    ),
    held("C142", "An activity begins and ends, in this order."),
    held("C143", "A Step and a simple fake are runners, submitters and executors."),
    # ── Settled contradictions ──
    deviates(
        "K1",
        "Each subscriber has a bounded queue and a policy; here all share one log: late readers get larger pieces or "
        "the state, or hold the turn when they asked for that.",
        design=FAN_OUT,
    ),
    deviates(
        "K4",
        "Persistence hangs on a captured state or on a callback; here a Step is bound to a ledger that is replaced in "
        "place, and one record writes.",
        design=EMIT,
    ),
    held("K7", "Submitted is said before the transforms run."),
    held("K8", "One failure is one error event, told by whoever knows it first."),
    held("K18", "Each field of the envelope is there when it is set, whatever the others are."),
    held("K19", "Tools are looked up once for a turn, and the provider, hints and handlers share them."),
    held("K20", "A call that was folded from fragments shows its hint as a complete one does."),
    held("K21", "A turn stands and is told before its handlers run."),
    # ── Pitfalls ──
    held("L4", "A provider that goes on, or ends, or fails after the cancellation hangs nobody."),
    held("L7", "What was seen of a cut answer is in history, with its status."),
    held("L24", "Callbacks and the log are one section: one order for all, whoever emits."),
    held("L25", "A callback that raises is logged and costs nobody anything."),
    held("L26", "What was appended was told, also while it is being cancelled."),
    held("L37", "A hint that raises is logged and shows nothing; a transform that raises fails the turn."),
    held("L38", "A provider that swallows the cancellation ends a cancelled turn, whatever it returned."),
    held("P1", "When emit returns, every reader can have the event."),
    held("P2", "No text is lost to a reader that is slow, nor to the others."),
    held("P3", "A reader that never reads freezes nobody."),
    held("P4", "Replay and live events meet without a double."),
    held("P6", "The last events of a cut turn are told although it was cancelled."),
    held("P11", "Turns and events are appended by one writer, in one order."),
    held("P22", "A call's hint is on it before anybody sees it."),
    held("P24", "A turn that no model can get back is stored off the path."),
    held("N11", "One error event for each failure."),
    held("N16", "The order that callbacks see is the order that every reader sees."),
    held("N17", "A turn that is in history was told to every reader, cancelled or not."),
    held("N21", "A provider that returns normally after the cancellation leaves a cancelled turn and no empty one."),
    held("B31", "After a restart no text comes twice: what was shown is void, and only the new answer is kept."),
    # ── The design: the event log ──
    promise("D-on-emit", 5, "Callbacks come first, isolated, in one order; what they emit runs after the event."),
    promise("D-closed-bus", 5, "Emitting into a closed bus raises at once; readers still get what was told."),
    promise("D-shared-log", 5, "Readers at one place share one batch and one JSON, and wake once for a burst."),
    promise("D-event-window", 5, "The log holds its window at most; fragments own no text, closed blocks drop theirs."),
    promise("D-coalesce", 5, "Late in an open block: one fragment with all; behind a closed one: the complete block."),
    promise("D-delta-kind-gets-complete", 5, "Who asked for a fragment kind gets the block that replaces lost ones."),
    promise("D-gap", 5, "Behind dropped events comes one gap with a snapshot, open blocks as far as they got."),
    promise("D-nobody-slowed", 5, "No reader slows another, however it reads."),
    promise("D-block-reader", 5, "A reader with policy block makes the turn wait between batches until it caught up."),
    promise("D-block-released", 5, "A held turn goes on when its reader left, was dropped, ended or was closed."),
    promise("D-block-disconnected", 5, "Past four windows such a reader is disconnected, and holds nothing more."),
    promise("D-block-refused", 5, "Such a reader in the task that runs the turn is refused."),
    promise("D-flow", 6, "After a batch others run when it was full or a millisecond has passed."),
    promise("D-idle-window", 5, "At rest the window holds no fragments that were seen, and goes without readers."),
    promise("D-ids", 5, "Ids rise, through epochs too, and ids of other processes are not taken for own ones."),
    promise("D-resume", 5, "A reader goes on behind any id that was given: no gap, no double."),
    promise("D-too-old", 5, "An id that is too old, or was never given, gets a gap; the newest is never too old."),
    promise("D-foreign-writer", 4, "When somebody else wrote meanwhile, every reader gets one gap."),
    promise("D-envelope", 5, "The envelope holds the event's id and what is known of where it belongs."),
    promise("D-event-shapes", 5, "Every event has the design's fields, and is JSON whatever stands in them."),
    promise("D-context-block", 5, "A complete block and its fragments carry the same block in their context."),
    promise("D-order-checker", 2, "The event-order checker lets pass what is in order and says what is not."),
    # ── The design: one turn ──
    promise("D-turn-order", 5, "Submitted, streaming, fragments as they arrive, blocks, reason, usage, the turn."),
    promise("D-context-of-a-turn", 5, "All events of a turn carry the context it runs in; none leaks into the next."),
    promise("D-nothing", 4, "A turn without sendable content is stored with skip; one without a chunk is an error."),
    promise("D-notices", 3, "Notices pass to readers and are never stored."),
    promise("D-restart", 6, "A restart drops every block of the turn, closed ones too, and sets the turn's model."),
    promise("D-cut-turns", 4, "Cut turns keep what was seen; half calls go, complete ones get results."),
    promise("D-closed-inference", 6, "Cancelling closes the provider's generator."),
    promise("D-stale-cancel", 5, "A cancellation that was dealt with before the turn does not cut it."),
    promise("D-bound-step", 5, "A Step that is bound refuses every ledger but its own."),
    promise("D-before-hooks", 5, "Before hooks run when every call has its result, and what they add is seen."),
    promise("D-transforms-view", 5, "Transforms change the provider's view, never the history."),
    promise("D-hooks-options", 6, "The Step's spec and options come first, then the call's."),
    promise("D-handlers", 5, "prepare, appended with the turn; handle for each artifact; finish once."),
    promise("D-spans", 10, "A turn is one span, never held open behind it."),
    # ── The design: into history ──
    promise("D-record-order", 5, "Durable, then in the ledger, callbacks, log, with no await between."),
    promise("D-record-whole", 5, "A cancellation is raised only when the turn stands or is nowhere."),
    promise("D-record-atomic", 5, "What the journal or the ledger refuses is nowhere."),
    promise("D-record-one-order", 5, "What is recorded at once keeps one order in journal, ledger and log."),
    promise("D-emit-turn", 5, "An emitted turn_complete appends once, and with a journal it is refused."),
    promise("D-facts", 5, "Facts are durable, then changed and told in one event, whole or not at all."),
)
