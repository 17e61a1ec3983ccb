"""The `ore` command, `scripted:FILE` and the calculator, as the contract has them."""

from behaviour._requirements import gap, held

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
    gap(
        "D-scripted-retry",
        'With "retry": true errors are retried, and a retry takes the next list.',
        reason="the decorator that retries comes with the networked providers; the key is read and kept",
        source=_SCRIPTED,
    ),
    held("D-calculator", "`calculator {expression}` returns the number.", source=_SCRIPTED),
    held(
        "D-calculator-bounds",
        "What is no expression, or has no result that can be held, is an error for the model; nothing is run as code.",
        source=_SCRIPTED,
    ),
)
