"""Anthropic's messages: what comes of an answer, and what goes back."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("B25", "Signed thinking goes back byte for byte, in order with its calls, or not at all."),
    held("B27", "What a vendor issued goes back to the model that issued it, and to no other."),
    held("B29", "An image that its server refuses costs one message: later ones are sent without it."),
    held("B34", "Usage is cumulative: of each count the last one holds, and nothing is added up."),
)
