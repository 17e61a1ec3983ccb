"""Whoever answers over a network: connections, keys, refusals, retries, limits."""

from behaviour._requirements import held, promise

_MODELS = "contract.md section 1"
_COMMAND = "contract.md section 2"

REQUIREMENTS = (
    held(
        "B39", "A wait that a server asks for, in seconds or as a date, is on the error, and waited for within a cap."
    ),
    held("B41", "Twenty cancelled streams leave no connection behind, and the next request is answered."),
    promise("D-retry", 6, "Retry has one owner; only before the first visible artifact; bounded."),
    promise("D-http-secrets", 10, "A key is in no error, log, event or stored thread, whatever fails."),
    held("D-base-url", "A base URL that ends in /v1 or not both work.", source=_MODELS),
    held(
        "D-http-limits",
        "Connect 10 s, 300 s without a byte, then timeout; --timeout-s sets the latter; 30 min in all.",
        source=_COMMAND,
    ),
)
