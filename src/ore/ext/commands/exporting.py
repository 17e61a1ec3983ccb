"""`/export`: the conversation as a file."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ore.artifact import Severity
from ore.ext.commands.files import new_file
from ore.ext.commands.invocation import CommandHandler, Invocation
from ore.ext.export import export_html, export_json, export_text
from ore.ledger import StoredThread
from ore.session import store_of

__all__ = ["export"]

_FORMS: Final[Mapping[str, tuple[str, Callable[[StoredThread], str | bytes]]]] = {
    "html": ("html", export_html),
    "json": ("json", export_json),
    "text": ("txt", export_text),
}


def export(folder: Path | None) -> CommandHandler:
    """Make the command.

    Args:
        folder: Where files go; without one nothing is written, and it says how else.
    """

    async def write(invocation: Invocation) -> None:
        """Write the conversation into a new file, with every branch."""
        form = invocation.text.strip() or "html"
        if form not in _FORMS:
            invocation.usage(" | ".join(_FORMS))
            return
        session_id = invocation.stream.id
        if folder is None:
            invocation.say(f"no file can be written here; use: ore sessions export {session_id} --format {form}")
            return
        stored = await store_of(invocation.stream).load(session_id)
        path = await asyncio.to_thread(_write, folder, stored, form)
        invocation.say(f"written to {path}", Severity.SUCCESS)

    return write


def _write(folder: Path, stored: StoredThread, form: str) -> Path:
    ending, make = _FORMS[form]
    made = make(stored)
    content = made if isinstance(made, bytes) else made.encode("utf-8", "replace")
    return new_file(folder, f"ore-{stored.id}", ending, content)
