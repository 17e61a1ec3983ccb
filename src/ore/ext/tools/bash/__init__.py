"""`bash`: shell commands, with an end, an environment without secrets, and bounded output."""

from collections.abc import Sequence

from ore.ext.tools.bash.result import CommandResult, Output
from ore.ext.tools.bash.tool import LONGEST_S, TIMEOUT_S, bash
from ore.tool import Tool

__all__ = ["LONGEST_S", "TIMEOUT_S", "CommandResult", "Output", "bash", "tools"]


def tools() -> Sequence[Tool]:
    """The tool, for `--tool bash`: on this machine, each command approved by a person."""
    return (bash(approve=True),)
