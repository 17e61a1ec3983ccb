"""The `ore` command, `scripted:FILE` and the calculator, as the contract has them."""

from behaviour._requirements import held

_COMMAND = "contract.md section 2"
_MODELS = "contract.md section 1"
_SCRIPTED = "contract.md section 3"

REQUIREMENTS = (
    held(
        "D-scripted-order",
        "Each inference takes the next list, counted per session in this process; after the last one it fails with a "
        "clear error, or begins again.",
        source=_SCRIPTED,
    ),
    held("D-scripted-reason", "A missing stop_reason is stop, or tool_use after calls.", source=_SCRIPTED),
    held(
        "D-scripted-items",
        "An item is an artifact, a pause, a hang that lasts until it is cancelled, an error of a code, or artifacts "
        "that arrive together.",
        source=_SCRIPTED,
    ),
    held("D-scripted-places", "Unknown keys and wrong values are refused with their path.", source=_SCRIPTED),
    held(
        "D-scripted-retry",
        'Errors are retried where "retry" is true, and there alone; a retry takes the next list.',
        source=_SCRIPTED,
    ),
    held("D-calculator", "`calculator {expression}` returns the number.", source=_SCRIPTED),
    held(
        "D-calculator-bounds",
        "What is no expression, or has no result that can be held, is an error for the model; nothing is run as code.",
        source=_SCRIPTED,
    ),
    held("D-cli-help", "`--version`, `--help` and `COMMAND --help` work, and import nothing heavy.", source=_COMMAND),
    held(
        "D-cli-status",
        "0 done, 1 the run failed, 2 wrong use or missing configuration with what was expected, 130 interrupted.",
        source=_COMMAND,
    ),
    held("D-cli-run", "`ore run` streams the text; a new session's id goes to standard error.", source=_COMMAND),
    held("D-cli-prompt", "The prompt is the argument, or standard input when it is absent or `-`.", source=_COMMAND),
    held("D-cli-events", "`--events` prints every event as one JSON line, fragments included.", source=_COMMAND),
    held(
        "D-cli-json",
        "`--json` prints one object at the end: session, text of the last assistant turn, stop_reason, usage, outcome, "
        "error.",
        source=_COMMAND,
    ),
    held("D-cli-sessions", "`--session` creates or resumes; runs are stored, but not in `memory:`.", source=_COMMAND),
    held("D-cli-limits", "Too many rounds and endless identical calls fail with code limit.", source=_COMMAND),
    held(
        "D-cli-agent",
        "`--agent module:attribute` from the current folder or the path; `--model` overrides its model, `--tool` adds "
        "to its tools.",
        source=_COMMAND,
    ),
    held(
        "D-cli-agent-errors", "What is no agent is named; errors in its module keep the user's lines.", source="issue 2"
    ),
    held(
        "D-cli-call-flags",
        "`--model` and the Spec flags hold for this call, before what the session has stored, and are not stored.",
        source=_COMMAND,
    ),
    held("D-cli-default-model", "Which model was taken when none was named, and why, is said once.", source=_MODELS),
    held("D-cli-tools", "A tool that raises, hangs or returns no JSON leaves the session usable.", source="issue 2"),
    held("D-cli-interrupt", "SIGINT interrupts: partial text is kept in the session, status 130.", source=_COMMAND),
    held(
        "D-cli-ending",
        "Kill, hang-up, SIGTERM, SIGINT in every state: the terminal is usable and the session is intact.",
        source="issue 9",
    ),
    held("D-cli-recovery", "Unfinished messages are finished before the new prompt is taken.", source=_MODELS),
    held("D-cli-owned", "A session owned by another live process: code session_owned at once.", source=_MODELS),
    held(
        "D-cli-control-characters",
        "On a terminal control characters in content are inert; into a pipe they go as they came.",
        source=_COMMAND,
    ),
    held("D-cli-closed-pipe", "A closed pipe is respected: nobody complains, and the run goes on.", source=_COMMAND),
    held("D-cli-no-color", "NO_COLOR is respected.", source=_COMMAND),
    held("D-cli-approve", "`--approve ask` asks on a terminal, and denies with a reason elsewhere.", source=_COMMAND),
    held("D-cli-chat", "`ore chat --plain`: one prompt a line; an empty line or the end quits.", source=_COMMAND),
    held("D-cli-stored", "`ore sessions list` and `show`, as JSON of the contract's shape too.", source=_COMMAND),
    held("D-cli-doctor", "What is installed, which keys are present, whether model and store answer.", source=_COMMAND),
    held(
        "D-cli-search",
        "`sessions search TEXT`: turns that contain the text, with a snippet; as JSON of the contract's shape too.",
        source=_COMMAND,
    ),
    held(
        "D-cli-fork",
        "`sessions fork ID [--at TURN]` prints the id of a new session with the path up to there; the old one stays.",
        source=_COMMAND,
    ),
    held("D-cli-delete", "`sessions delete ID` removes a stored session that nobody owns.", source=_COMMAND),
    held(
        "D-cli-export",
        "`sessions export ID` gives every branch as JSON without loss, into a file for the user alone with -o.",
        source=_COMMAND,
    ),
    held(
        "D-cli-export-formats",
        "`sessions export --format text|html` gives what people read: text, or one page that does nothing.",
        source=_COMMAND,
    ),
    held(
        "D-cli-import",
        "`sessions import FILE` keeps the id, refuses one that exists unless `--as ID`, and what it cannot read with "
        "the reason.",
        source=_COMMAND,
    ),
)
