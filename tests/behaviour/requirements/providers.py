"""Whoever answers over a network: connections, keys, refusals, retries, limits."""

from behaviour._requirements import held, promise

_MODELS = "contract.md section 1"
_COMMAND = "contract.md section 2"
_ISSUE = "issue 4, providers; retry; what must hold"

REQUIREMENTS = (
    held(
        "B39", "A wait that a server asks for, in seconds or as a date, is on the error, and waited for within a cap."
    ),
    held("B41", "Twenty cancelled streams leave no connection behind, and the next request is answered."),
    promise("D-retry", 6, "Retry has one owner; only before the first visible artifact; bounded."),
    promise("D-http-secrets", 10, "A key is in no error, log, event or stored thread, whatever fails."),
    held(
        "D-vendor-failures",
        "Wrong key, unknown model, unreachable host, TLS, HTML, a stream that stalls, ends early, never ends or sends "
        "a long line: each its own code, message and advice; the session stays usable and its history sendable.",
        source=_ISSUE,
    ),
    held(
        "D-vendors",
        "Every vendor passes the contract of providers over a network.",
        source=_ISSUE,
    ),
    held(
        "D-refusal",
        "A refusal in words is an answer with stop_reason refusal; one without a word fails with content_filter.",
        source=_ISSUE,
    ),
    held(
        "D-capture",
        "`ore run --capture FILE` writes a request and its answer without secrets (0600); the answer can be decoded.",
        source=_ISSUE,
    ),
    held(
        "D-keys",
        "Keys and addresses by their vendors' names; flags beat environment; a missing key is said when a provider is "
        "made.",
        source=_MODELS,
    ),
    held(
        "D-default-model",
        "No model named: the provider whose key is set, anthropic before openai before google, else local; which and "
        "why is said once.",
        source=_MODELS,
    ),
    held("D-base-url", "A base URL that ends in /v1 or not both work.", source=_MODELS),
    held(
        "D-http-limits",
        "Connect 10 s, 300 s without a byte, then timeout; --timeout-s sets the latter; 30 min in all.",
        source=_COMMAND,
    ),
)
