"""`PromptHistory`: what was typed before, over sessions."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["PromptHistory"]

_MOST: Final = 1_000


class PromptHistory:
    """Goes back and forth in what was typed before.

    Args:
        path: A file of JSON lines that is read and added to; `None` keeps it
            in memory. One that cannot be read or written costs the history,
            and nothing else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._texts = _read(path) if path is not None else []
        self._at = len(self._texts)
        self._draft = ""

    @property
    def texts(self) -> Sequence[str]:
        """All of it, the oldest first."""
        return tuple(self._texts)

    def add(self, text: str) -> None:
        """Remember what was sent; the same twice in a row is once."""
        if text.strip() and (not self._texts or self._texts[-1] != text):
            self._texts.append(text)
            if self._path is not None:
                _append(self._path, text)
        self._at = len(self._texts)
        self._draft = ""

    def older(self, current: str) -> str | None:
        """What was typed before that; `None` at the beginning. `current` comes back at the other end."""
        if self._at == len(self._texts):
            self._draft = current
        if self._at == 0:
            return None
        self._at -= 1
        return self._texts[self._at]

    def newer(self) -> str | None:
        """What was typed after that; at the end what stood there, and `None` behind that."""
        if self._at >= len(self._texts):
            return None
        self._at += 1
        return self._draft if self._at == len(self._texts) else self._texts[self._at]

    def search(self, part: str) -> Sequence[str]:
        """What contains `part`, the latest first, each once."""
        found = dict.fromkeys(text for text in reversed(self._texts) if part.lower() in text.lower())
        return tuple(found)[:50]


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    found: list[str] = []
    for line in lines[-_MOST:]:
        try:
            text = json.loads(line)
        except ValueError:
            continue
        if isinstance(text, str):
            found.append(text)
    return found


def _append(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(text) + "\n")
    except (OSError, ValueError):
        return
