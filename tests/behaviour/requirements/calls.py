"""Calls and patterns: side by side, values, errors, cuts, approvals, effects, threads; rounds and their limits."""

from behaviour._requirements import deviates, gap, held, promise

KEPT = "Output is bounded by default (50,000 bytes, 2,000 lines, head or tail) with a recovery hint."
ONE_TURN = "All results of one assistant turn stand in one tool turn, in call order;"

REQUIREMENTS = (
    held("C144", "ReAct, plain answer: one inference; history user, assistant."),
    held("C145", "ReAct, a tool and then an answer: history user, assistant, tool, assistant; it stops there."),
    held("C146", "ReAct raises the errors of providers and handlers and cancellations as they are."),
    held("C147", "ReAct in a task that is cancelled already makes no progress and is cancelled."),
    held("C150", "SingleShot asks exactly once, whatever the last role, and passes all on; both patterns have names."),
    held("C159", "Limits that are not positive are the defaults; one that is given leaves the other at its default."),
    held("C160", "What is no call makes the handler do nothing: no event, no turn."),
    held("C161", "An unknown tool or arguments that cannot be read give one error result with the call's id."),
    held("C162", "A call that succeeds has one result in a tool turn: text as it is, the rest as compact JSON."),
    held("C164", "A server's tool is called under its name on the wire, and gets the call under its own."),
    held("C166", "A tool that fails without a partial result has its error as JSON and as a footer."),
    held("C169", "A result of 10 MB is cut to 50,000 bytes, and says how long it was and which end stayed."),
    held("C170", "A value with its own text for the model is passed on whole, at 10 MB too."),
    held("C173", "A value that cannot be JSON is an error result that names its type."),
    held("C177", "The span of a call says how it ended and what was cut of its result."),
    deviates(
        "C240",
        "The original's agent has to be given a pattern, which all runs share; here an agent is a value, and each "
        "message has a pattern of its own, which gets the session's ledger and whose error is the message's.",
        design="AgentSpec (the seed's bundle as one value), typed output",
    ),
    gap(
        "C241",
        "The span agent.run has the agent's name and its pattern's.",
        reason="A session makes spans of inferences and tool calls, not yet one around the pattern.",
    ),
    held("L5", "A loop without progress, and one that goes on too long, end with an error; 50 rounds by default."),
    held("L21", "Whatever a tool raises is an error result; a cancellation is recorded and raised again."),
    held("N15", "A tool that raises anything gives an error result, and the loop goes on."),
    deviates(
        "K23",
        "The original runs calls one after another, each with a tool turn of its own; here they run at once and their "
        "results stand in one turn.",
        design=ONE_TURN,
    ),
    held("B13", "An answer that the output limit cut runs none of its calls; each is told why, and history is valid."),
    held(
        "B30",
        "One call without end stops early when its result never changes, and never otherwise; an unknown tool is "
        "answered with the names of the known ones.",
    ),
    held("B46", "Whoever stops waiting stops nothing; a cancelled tool has cleaned up before anybody hears of it."),
    held("B47", "Of three calls at once one fails: three results in call order, and the turn goes on."),
    deviates(
        "B61",
        "A giant result is cut for the model, valid and with the number of what is missing; the report wants both "
        "ends kept, here one is. The whole value rides on the event.",
        design=KEPT,
    ),
    held("B60", "Blocking tools run beside each other, leave the loop free and see the caller's context variables."),
    held("L23", "Facts that a tool's value changes are the session's facts, set on the one path there is."),
    promise("D-calls-approval", 7, "Each call is asked about alone; yes runs it once, no gives its reason."),
    promise("D-calls-cut", 4, "A cut keeps finished results; the rest is cancelled, a thread's outcome unknown."),
    promise("D-calls-effects", 7, "Starts are recorded before a tool runs, ends before the others are done."),
    promise("D-calls-resume", 7, "Finished calls never run twice; started ones are unknown or run again."),
    promise("D-calls-waiting", 7, "Waiting for a person does not count as run time."),
    promise(
        "D-bar-tool-turn",
        5,
        "A tool turn and its answer, through a session with one reader, take fewer than 800 calls of Python.",
    ),
    promise("D-calls-footer", 7, "The error of a failed call stands behind its partial result, whatever is cut."),
)
