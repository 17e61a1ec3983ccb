"""What a server's sentence blames, where its status and its codes do not say so.

Sentences by what servers answer (read 2026-11): llama.cpp's with status 500,
"image input is not supported - hint: …you may need to provide the mmproj" and
"tools param requires --jinja flag"; vLLM's "…is not a multimodal model";
OpenRouter's with status 404, "No endpoints found that support image input";
LM Studio's "Model does not support images"; SGLang's and Groq's like them.
"""

import re
from typing import Final

__all__ = ["FIELDS", "blames_request", "refused_media"]

_READ: Final = 1_000
"""Characters of a sentence that are looked at."""

_KINDS: Final = (
    ("image", r"images?|image_url|vision|visual|pictures?|multi-?modal|mmproj"),
    ("audio", r"audio|input_audio|sound|speech"),
    ("file", r"files?|documents?|pdfs?"),
)
_TAKES_NOT: Final = (
    r"(?:does|do|can|is)(?: not|n't|not)\W+(?:\w+\W+){{0,3}}?(?:{0})\b{1}"
    r"|\bno (?:\w+ ){{1,3}}that supports? (?:\w+ )?(?:{0})\b"
    r"|\b(?:{0})\b{1}(?:\W+\w+){{0,3}}?\W+(?:(?:is|are) )?"
    r"(?:not (?:\w+ )?(?:supported|allowed|accepted|available)|unsupported|only supported by)\b{1}"
    r"|\bunsupported (?:\w+ ){{0,2}}(?:{0})\b{1}"
    r"|\bunsupported content type\W+(?:{0})\b{1}"
    r"|missing data required for (?:{0})"
)
_NO_FORM: Final = r"(?!/| (?:format|type|size|encoding))"
"""A picture of another form may be taken."""
_PATTERNS: Final = tuple([(kind, re.compile(_TAKES_NOT.format(words, _NO_FORM), re.I)) for kind, words in _KINDS])
_BLAMES: Final = re.compile(r"not supported|unsupported|does ?(?:not|n't) support|not implemented|requires? --\w", re.I)


FIELDS: Final[frozenset[str]] = frozenset(kind for kind, _ in _KINDS)
"""What an `UnsupportedError` of refused media names."""


def refused_media(message: str) -> str | None:
    """`image`, `audio` or `file` where a sentence says that the model takes none; else `None`."""
    begin = message[:_READ]
    return next((kind for kind, pattern in _PATTERNS if pattern.search(begin)), None)


def blames_request(status: int | None, message: str) -> bool:
    """Whether a server says with a status of its own failing that the request cannot be answered, now or later."""
    return status == 501 or (status == 500 and _BLAMES.search(message[:_READ]) is not None)
