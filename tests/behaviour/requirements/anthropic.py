"""Anthropic's messages: what comes of an answer, and what goes back."""

from behaviour._requirements import gap, held

REQUIREMENTS = (
    held("B25", "Signed thinking goes back byte for byte, in order with its calls, or not at all."),
    held("B27", "What a vendor issued goes back to the model that issued it, and to no other."),
    gap(
        "B29",
        "An image that is no image, or called wrongly, is refused or corrected, and later messages are sent.",
        reason="an image that only the vendor finds too large or too wide is not put aside after it was refused",
    ),
    held("B34", "Usage is cumulative: of each count the last one holds, and nothing is added up."),
)
