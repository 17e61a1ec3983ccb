"""The front door: agents, runs, sessions, results, names; and what a turn and an import may cost."""

from behaviour._requirements import held, promise

REQUIREMENTS = (
    held("B104", "One agent serves two event loops, one after the other.", source="design.md section 9"),
    promise("D-result", 9, "A run gives text, output, its turns, what it used, how it ended and its session."),
    promise("D-function-is-a-tool", 7, "A plain function is a tool."),
    promise("D-shared-stores", 9, "Sessions that are open at the same time and name one store share it."),
    promise("D-run-sync", 9, "run_sync serves programs without a loop and refuses a running one by name."),
    promise("D-two-loops", 9, "An agent holds nothing that belongs to one event loop."),
    promise("D-instructions", 9, "Instructions are text or a function, and stand in no history."),
    promise("D-deps", 9, "Tools find deps in their context."),
    promise("D-history", 9, "A run goes on from the turns that it is given, in their order."),
    promise("D-in-memory", 9, "Runs and streams stay in memory unless a session or a store is named."),
    promise("D-usage-limits", 9, "A message stops at its limits of inferences, tokens and seconds, with code limit."),
    promise("D-cancelled-run", 9, "A run that is cancelled has stopped its tools before its caller goes on."),
    promise("D-run-text", 9, "The text of a run comes as it is spoken, whole, nothing twice."),
    promise("D-run-events", 9, "The events of a run are those of its message, to its done."),
    promise("D-leaving-ends-a-run", 9, "Leaving a stream of an agent ends its run, and no other message."),
    promise("D-detached", 9, "Leaving a run of a session detaches, and the message goes on."),
    promise("D-session-resumed", 9, "A session is created or resumed by its id."),
    promise("D-leaving-waits", 9, "Leaving a session waits for its messages; what an error cuts off goes on later."),
    promise("D-on-question", 9, "Without on_question approvals are denied; with it they are answered."),
    promise("D-output-type", 9, "An answer that does not fit its type goes back to the model, twice."),
    held(
        "D-bad-input",
        "Whatever is passed in gives a clear error, and no session is left unusable.",
        source="issue 2, must hold: bad input",
    ),
    promise("D-front-door-names", 2, "ore has at most 40 names, imported on first use."),
    promise("D-import-bars", 2, "Importing ore costs next to nothing and loads nothing heavy."),
    promise("D-turn-independent-of-history", 4, "A turn copies, reads and encodes nothing that grows with history."),
    held("D-bar-chunk", "A streamed chunk costs at most 10 calls beside the transport's.", source="issue 4, must hold"),
    held("D-bar-request", "A request makes no more calls than it must.", source="issue 4, must hold"),
    promise("D-delta-touches-no-text", 3, "Fragments are joined once, when their block closes."),
)
