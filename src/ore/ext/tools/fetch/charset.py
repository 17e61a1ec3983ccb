"""`decoded`: bytes of a page as text."""

import codecs
import re
from typing import Final

__all__ = ["decoded"]

HEAD_BYTES: Final = 1_024
"""Where a page has to say what it is written in ("HTML", 13.2.3.2, read 2026-11)."""

_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]+)", re.IGNORECASE)
_XML: Final = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-zA-Z0-9_.-]+)", re.IGNORECASE)

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_WESTERN: Final = frozenset({"iso8859-1", "ascii", "latin_1"})
"""Browsers read these as windows-1252 ("Encoding", 4.2, read 2026-11)."""

_KNOWN: Final = re.compile(
    r"utf-8|utf-16(-[lb]e)?|iso8859-\d+|cp125\d|cp866|cp874|koi8-[ru]|mac-(roman|cyrillic)|gb(k|2312|18030)|big5(hkscs)?"
    r"|euc_(jp|kr|jis_2004|jisx0213)|shift_jis|cp932|cp949|iso2022_jp"
)
"""Names that Python gives to the encodings of the web; others, such as UTF-7, are read by no browser."""


def decoded(data: bytes, declared: str = "", *, marked_up: bool = False) -> str:
    """The text, with U+FFFD for what is none.

    What its first bytes say counts most, then what the server says, then what
    the page itself does; without any of these it is UTF-8, or where it is not,
    windows-1252.

    Args:
        data: All of it.
        declared: What the server says.
        marked_up: Whether the text may say it itself, as HTML and XML do.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    encoding = _known(declared) or (_own(data) if marked_up else "")
    if encoding:
        return data.decode(encoding, "replace")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # what is cut in a character is UTF-8 too
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
    return data.decode("utf-8", "replace")


def _own(data: bytes) -> str:
    found = _META.search(data, 0, HEAD_BYTES) or _XML.match(data, 0, HEAD_BYTES)
    name = _known(found[1].decode("ascii")) if found else ""
    return "utf-8" if name.startswith("utf-16") else name  # whoever reads this knows that it is not UTF-16


def _known(label: str) -> str:
    """Python's name of an encoding; empty where it is none of the web's."""
    try:
        name = codecs.lookup(label.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return ""
    if name in _WESTERN:
        return "cp1252"
    return name if _KNOWN.fullmatch(name) else ""
