"""The environment of a server's process: what a program needs, and what was named."""

import os
from collections.abc import Mapping
from typing import Final

from ore.errors import InputError
from ore.ext.tools.mcp.settings import Stdio

__all__ = ["environment", "without_secrets"]

HARMLESS: Final = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
"""Where programs and files are and which language is spoken, on POSIX and on Windows."""

_MIN_SECRET: Final = 6


def environment(where: Stdio) -> dict[str, str]:
    """The variables of the child.

    Raises:
        InputError: A variable that it shall inherit is not set.
    """
    found = {name: os.environ[name] for name in HARMLESS if name in os.environ}
    for name in where.inherit:
        if name not in os.environ:
            raise InputError(f"mcp: {where.command!r} shall inherit the variable {name}, which is not set")
        found[name] = os.environ[name]
    return {**found, **where.env}


def without_secrets(text: str, where: Stdio, variables: Mapping[str, str]) -> str:
    """`text` without the values that were handed to the child by name."""
    for name in (*where.env, *where.inherit):
        value = variables.get(name, "")
        if len(value) >= _MIN_SECRET:
            text = text.replace(value, "***")
    return text
