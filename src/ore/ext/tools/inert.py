"""`inert`: text from files, pages, commands and servers that can steer nothing."""

import re
from typing import Final

__all__ = ["inert", "quoted_name"]

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


def inert(text: str) -> str:
    """`text` with its control characters as signs that do nothing; tabs and line ends, CR LF too, stay."""
    return text if text.isprintable() else _CONTROL.sub(_sign, text)


def quoted_name(name: str) -> str:
    """The name of a file on one line: as it is, or with U+FFFD for what is no printable character."""
    if name.isprintable():
        return name
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name)


def _sign(found: re.Match[str]) -> str:
    """The picture of a control character (U+2400 and on)."""
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"
