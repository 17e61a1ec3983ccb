"""OpenAI's chat completions: what compatible servers send, and what they are sent."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("B01", "Fragments of a call without a position are one call, and none raises."),
    held("B02", "A call without an id gets one that no other turn has, and its arguments are no text."),
    held("B06", "Two calls in one event without positions are two calls."),
    held("B33", "A stream that just ends is an error; one that said why it stopped is whole."),
    held("B36", "A last event without choices gives its usage; null is none; no event at all is an empty answer."),
    held("B37", "A body gives the same wherever it is cut, inside of characters too."),
)
