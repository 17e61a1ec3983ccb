"""`load`: the part that needs the SDK, imported on first use."""

from importlib import import_module
from typing import Any

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
        raise InputError("the SDK of MCP is not installed: run `pip install 'ore-agents[mcp]'`") from error
