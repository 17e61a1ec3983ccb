"""`fetch`: pages of the web as text, and nothing of the networks behind this machine."""

from collections.abc import Sequence

from ore.ext.tools.fetch.tool import fetch
from ore.tool import Tool

__all__ = ["fetch", "tools"]


def tools() -> Sequence[Tool]:
    """The tool, for `--tool fetch`: public addresses alone."""
    return (fetch(),)
