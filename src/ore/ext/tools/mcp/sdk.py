"""`load`: the part that needs the SDK, imported on first use."""

from importlib import import_module
from typing import Any

from ore._extras import install_line
from ore.errors import InputError

__all__ = ["load"]


def load() -> Any:
    """The module that speaks to servers.

    Raises:
        InputError: The SDK is not installed.
    """
    try:
        return import_module("ore.ext.tools.mcp.session")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "ore":
            raise
        raise InputError(f"the SDK of MCP is not installed: run `{install_line('mcp')}`") from error
