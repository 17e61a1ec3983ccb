"""`vendor_words`: a vendor's own sentence about a refusal, without what was sent and without keys."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["vendor_words"]

LIMIT_CHARACTERS: Final = 200
"""Of a longer sentence the beginning is shown."""

_READ: Final = 2_000
"""Characters of a sentence that are looked at."""

_GONE: Final = "…"
_SHORT: Final = 4
"""Characters; of shorter pieces many stand in any text by chance, so they are compared as whole words."""
_GLUED: Final = 6
"""Characters from which on a word of the request is looked for inside a longer one of the sentence."""
_LONGEST: Final = 40
"""Characters of one word; what is longer is no word."""

_BASE64: Final = re.compile(r"[A-Za-z0-9+/=]{200,}")
_WORD: Final = re.compile(r"[^\W_]+")
_INDEX: Final = re.compile(r"\d{1,2}")
_SECRET: Final = re.compile(r"\*\*|@|://|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}")
"""Keys that a vendor shortened, addresses, and what is as long and mixed as keys are."""

_WORDS: Final = (
    "a able about above access account additional after again all allowed already also an and another any api are "
    "argument arguments array as ask assistant at audio available base64 be because been before being below between "
    "block blocks body boolean both but by cache call called calls can cannot certain change chat check choice code "
    "combination completion completions configuration contain contains content context control corresponding could "
    "count create data date default defined deprecated description did different disabled does doesn don down "
    "duplicate each effort either empty enabled end ensure enum error errors exactly exceed exceeds exist exists "
    "expected extra failed false field fields file files first following for format formatted found from function "
    "functions future get given greater had has have header high history id if ignored image images in include "
    "included incompatible incorrect index input instead int integer invalid is it item items its json key large "
    "larger last least length less like limit limited list long low make many match matching max maximum may maybe "
    "media medium message messages min minimum missing mode model models more most multiple must name names need "
    "needs new no non none not null number object objects of off old on once one only option optional options or "
    "order org organization other out output parallel param parameter parameters parse part parts pattern please "
    "positive preceding present previous prompt property provide provided range reason reasoning received request "
    "requests required requires response responses result results return returned role roles s same schema see seed "
    "sequence sequences server set should single size some source specified start status stop stream streaming "
    "strict string strings such support supported supports system t temperature text than that the their them then "
    "there these thinking this those through time timeout times to token tokens too tool tools top true try two "
    "type types unable unexpected union unknown unrecognized unsupported up update url usage use used user using "
    "valid validation value values verified verify version was we were what when where which while will window with "
    "without would you your"
)
_OWN: Final = frozenset(_WORDS.split())
"""Words of the protocols and of plain English: they tell nothing of what was said."""


def vendor_words(body: bytes, request: bytes, *secrets: str) -> str:
    """What a server says of a request that it refuses; empty where nothing can be shown of it.

    Servers like to repeat what was sent. So each word that stands in the
    request as well, or in a secret, is left out, unless it is one of the
    protocol's own, the model's name, or a number that the request sets.

    Args:
        body: Of the refusal.
        request: The body that was sent, as JSON.
        secrets: What must not be shown, in whole or in part.
    """
    words = " ".join(_sentence(body)[:_READ].split()).split(" ")
    sent = _Sent(request, secrets)
    shown = [word if sent.allows(word) else _GONE for word in words]
    kept = sum(1 for word in shown if word != _GONE)
    if kept < 2 or 2 * kept < len(shown):
        return ""
    text = re.sub(rf"{_GONE}(?: {_GONE})+", _GONE, " ".join(shown))
    return text if len(text) <= LIMIT_CHARACTERS else f"{text[: LIMIT_CHARACTERS - 1]}{_GONE}"


class _Sent:
    """What was sent, to be looked up."""

    def __init__(self, request: bytes, secrets: tuple[str, ...]) -> None:
        whole = " ".join((_BASE64.sub(" ", request.decode("utf-8", "replace")), *secrets)).lower()
        self._text = whole
        self._words = frozenset(_WORD.findall(whole))
        self._long = [word for word in self._words if len(word) >= _GLUED and word not in _OWN]
        self._said = frozenset(_said_openly(request))

    def allows(self, word: str) -> bool:
        """Whether nothing in a word comes from there."""
        pieces = _WORD.findall(word.lower())
        if word.isprintable() and all(piece in _OWN or _INDEX.fullmatch(piece) for piece in pieces):
            return True  # such as the place in a request
        if len(word) > _LONGEST or not word.isprintable() or _SECRET.search(word):
            return False
        return all(map(self._allows, pieces))

    def _allows(self, piece: str) -> bool:
        if piece in _OWN or piece in self._said:
            return True
        if piece in self._words or (len(piece) >= _SHORT and piece in self._text):
            return False
        return not any(word in piece for word in self._long)


def _said_openly(request: bytes) -> Iterator[str]:
    """The model's name and the numbers of a request."""
    try:
        fields = json.loads(request)
    except (ValueError, RecursionError):
        return
    for name, value in fields.items() if isinstance(fields, dict) else ():
        if name == "model" or isinstance(value, int | float):
            yield from _WORD.findall(str(value).lower())


def _sentence(body: bytes) -> str:
    """The sentence in the shapes that errors have: OpenAI's, a bare text, FastAPI's `detail`, a list of one."""
    text = body.decode("utf-8", "replace")
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip()[:1] in ("{", "[", "<") else text
    return _message(found[0] if isinstance(found, list) and found else found)


def _message(found: Any, depth: int = 0) -> str:
    if isinstance(found, str):
        return found
    if isinstance(found, list) and found:
        return _message(found[0], depth)
    if not isinstance(found, Mapping) or depth > 3:
        return ""
    inner = next((found[key] for key in ("error", "detail", "message", "msg") if found.get(key)), None)
    place = found.get("loc")
    said = _message(inner, depth + 1)
    return f"{'.'.join(map(str, place))}: {said}" if said and isinstance(place, list) else said
