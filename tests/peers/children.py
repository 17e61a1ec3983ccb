"""Servers of others, started as children on loopback and ended by pid."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["child"]


@contextmanager
def child(words: Sequence[str | Path]) -> Iterator["subprocess.Popen[str]"]:
    """A Python program that lives as long as the block; it also ends when whoever started it is gone."""
    process = subprocess.Popen([sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
