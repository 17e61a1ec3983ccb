"""The HTTP conduit: what its contract says, and the public bug reports about servers like it."""

from behaviour._requirements import deviates, held

_CONTRACT = "contract.md section 4"

REQUIREMENTS = (
    held(
        "D-serve", "`ore serve` says in one line where it listens, and serves what the contract says.", source=_CONTRACT
    ),
    held(
        "D-serve-drain",
        "SIGTERM drains: what runs gets its seconds, is cut with its partial text kept, and goes on at the next start "
        "with all that waits; nothing new is taken meanwhile; status 0.",
        source=_CONTRACT,
    ),
    held(
        "D-openapi",
        "The served OpenAPI 3.1 is true: every answer is of a status, a type and a shape that it foresees.",
        source=_CONTRACT,
    ),
    held(
        "D-http-trace",
        "A `traceparent` of a request goes on in every event of its message, in its span, and in the answer.",
        source=_CONTRACT,
    ),
    held(
        "B80",
        "Requests for a foreign host and from a foreign page are refused, and so is what a page may post without "
        "asking; binding to more than loopback needs a token.",
    ),
    held(
        "B82",
        "A reader that stops taking events makes nobody wait and costs bounded memory; later it gets all the text in "
        "fewer pieces, or the state.",
    ),
    deviates(
        "B84",
        "There a policy cancels the turn with the connection; here a turn goes on, and only a request can stop it.",
        design="A waiter that goes away stops nothing.",
    ),
    held("B85", "Whoever comes back with an event's id gets what is behind it, once; too old or unknown, the state."),
    held("B87", "Anybody can stop what runs, from anywhere; the session goes on, and stopping nothing is fine."),
    held(
        "B88", "A message that is sent twice under one id is one message, and the second gets the events of the first."
    ),
)
