"""What went wrong with a server, in one line for the model and for people."""

from typing import Final

import httpx2
import mcp
from mcp.types import CONNECTION_CLOSED, URL_ELICITATION_REQUIRED

from ore.errors import ToolError
from ore.ext.tools.inert import inert
from ore.ext.tools.mcp.child import UnsentError
from ore.ext.tools.mcp.http_client import failure_of

__all__ = ["call_error", "is_lost", "reason_of"]

_SHOWN: Final = 500

_CLOSED: Final = ("Connection closed", "SSE stream")
"""How the SDK's own words begin when a connection ended; servers use the same code for anything."""

UNKNOWN: Final = "whether the call took effect is unknown; the next call reaches it again"


def reason_of(error: BaseException) -> str:
    """What follows "the server": why it cannot be used."""
    error = _cause(error)
    if isinstance(error, ToolError):
        return f"cannot be used: {error}"
    if isinstance(error, mcp.MCPError):
        return error.message if failure_of(error.data) else f"refused the connection: {error.message[:_SHOWN]}"
    if isinstance(error, httpx2.HTTPStatusError):
        return f"answered with HTTP status {error.response.status_code}"
    if isinstance(error, httpx2.TransportError):
        return f"cannot be reached ({str(error) or type(error).__name__})"
    told = f": {str(error)[:_SHOWN]}" if isinstance(error, RuntimeError) else f" ({type(error).__name__})"
    return f"does not speak the protocol{told}"


def is_lost(error: mcp.MCPError, why: str | None) -> bool:
    """Whether the connection is of no more use."""
    failure = failure_of(error.data)
    if failure is not None:
        return failure.unsent or failure.status is None or failure.status >= 500
    return why is not None or (error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED))


def call_error(name: str, error: BaseException, why: str | None, hint: str) -> ToolError:
    """What the model gets of a call that failed.

    Args:
        name: The server's.
        error: What the SDK raised.
        why: What became of the connection, when it is gone.
        hint: What may explain that.
    """
    error = _cause(error)
    if isinstance(error, ToolError):
        return error
    if isinstance(error, UnsentError):
        return ToolError(f"mcp server {name!r} {why or 'ended'}{hint}")
    if not isinstance(error, mcp.MCPError):
        return ToolError(f"mcp server {name!r}: {type(error).__name__}: {str(error)[:_SHOWN]}")
    failure = failure_of(error.data)
    if failure is not None:
        return ToolError(f"mcp server {name!r} {error.message}{'' if failure.unsent else f'; {UNKNOWN}'}")
    if is_lost(error, why):
        return ToolError(f"mcp server {name!r} {why or 'broke the connection'} during the call{hint}; {UNKNOWN}")
    return ToolError(f"mcp server {name!r} refused: {inert(error.message[:_SHOWN])}{_pages(error)}")


def _pages(error: mcp.MCPError) -> str:
    """The pages that a person has to visit first, where that is what is missing."""
    if error.code != URL_ELICITATION_REQUIRED or not isinstance(error.data, dict):
        return ""
    pages = [item.get("url") for item in error.data.get("elicitations", ()) if isinstance(item, dict)]
    return f"; the user has to visit {', '.join(map(str, pages))}" if pages else ""


def _cause(error: BaseException) -> BaseException:
    """The one error inside groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
