"""`in_editor`: a text, written in the person's own editor."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from ore.ext.conduits.terminal.app import TerminalApp

__all__ = ["in_editor"]


def in_editor(app: "TerminalApp", text: str) -> str | None:
    """Let the editor have the terminal until it ends; `None` when it could not be run.

    Nothing else is done meanwhile: the screen is the editor's.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.NamedTemporaryFile("w+", suffix=".md", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        try:
            with app.suspend():
                subprocess.run([*shlex.split(editor), file.name], check=False)
        except (OSError, ValueError, SuspendNotSupported) as error:
            app.say(f"the editor {editor!r} could not be run: {error}", "error")
            return None
        return Path(file.name).read_text(encoding="utf-8", errors="replace").rstrip("\n")
