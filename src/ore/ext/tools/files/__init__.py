"""`files`: reading, writing, editing, listing and searching files of one folder."""

from collections.abc import Sequence

from ore.ext.tools.files.tool import files
from ore.tool import Tool

__all__ = ["files", "tools"]


def tools() -> Sequence[Tool]:
    """The tools, for `--tool files`: in the current folder and nowhere else, each change approved by a person."""
    return files(approve=True)
