"""What goes with a message: pictures and files by their paths, and what commands printed."""

import asyncio
import mimetypes
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ore._aio import finish
from ore.artifact import Artifact, Audio, File, Image, Text
from ore.errors import InputError
from ore.ext.conduits.terminal.figures import size
from ore.ext.conduits.terminal.inert import one_line

__all__ = ["Attachments", "picture_path", "run_shell"]

_LARGEST_BYTES: Final = 5 << 20
_MOST_OUTPUT_BYTES: Final = 50_000
"""Of a command's output that goes with a message: the limit that tools have."""

_KINDS: Final = {"image": Image, "audio": Audio}


class Attachments:
    """Waits for the next message and goes with it."""

    def __init__(self) -> None:
        self._items: list[tuple[str, Artifact]] = []

    @property
    def labels(self) -> Sequence[str]:
        """What waits, for people."""
        return [label for label, _ in self._items]

    def add_file(self, path: Path) -> str:
        """Let a file go with the next message; how it is shown.

        Raises:
            InputError: It cannot be read, or is too large.
        """
        try:
            size_bytes = path.stat().st_size
            if size_bytes > _LARGEST_BYTES:
                raise InputError(f"{path.name}: expected at most {size(_LARGEST_BYTES)}, got {size(size_bytes)}")
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path.name}: cannot be read: {error.strerror or error}") from None
        media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        kind = _KINDS.get(media_type.partition("/")[0], File)
        item = kind(media_type=media_type, name=path.name, size_bytes=len(content), data=content)
        label = f"[{item.kind} {one_line(path.name)}, {size(len(content))}]"
        self._items.append((label, item))
        return label

    def add_output(self, command: str, output: str) -> None:
        """Let what a command printed go with the next message."""
        text = f"I ran this command:\n```sh\n{command}\n```\nIt printed:\n```\n{output}\n```"
        self._items.append((f"[output of {one_line(command)[:40]}]", Text(content=text)))

    def take(self) -> Sequence[Artifact]:
        """All that waits; nothing does then."""
        items, self._items = self._items, []
        return [item for _, item in items]

    def drop(self) -> None:
        """Let nothing go with it."""
        self._items.clear()


def picture_path(text: str) -> Path | None:
    """The picture whose path was pasted, and nothing else; `None` when it is none."""
    words = text.strip().strip("'\"").replace("\\ ", " ")
    if "\n" in words or len(words) > 1_000:
        return None
    path = Path(words.removeprefix("file://")).expanduser()
    if not (mimetypes.guess_type(path.name)[0] or "").startswith("image/"):
        return None
    with suppress(OSError):
        if path.is_file():
            return path
    return None


async def run_shell(command: str, *, limit_s: float = 120.0) -> str:
    """Run a command of the person's own, without a terminal; what it printed, and its status where that is not 0.

    It is ended when the caller is cancelled, and at the limit of time.

    Raises:
        InputError: It could not be started.
    """
    try:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,  # it neither reads keys nor changes what the terminal does
        )
    except OSError as error:
        raise InputError(f"the command could not be started: {error.strerror}") from None
    cut = ""
    output = b""
    try:
        async with asyncio.timeout(limit_s):
            output, _ = await process.communicate()
    except TimeoutError:
        cut = f"\n[ended after {limit_s:.0f} s]"
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await finish(process.wait())
    text = output.decode("utf-8", "replace").rstrip("\n")
    if len(text) > _MOST_OUTPUT_BYTES:
        half = _MOST_OUTPUT_BYTES // 2
        text = f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
    status = f"\n[exit status {process.returncode}]" if process.returncode and not cut else ""
    return f"{text}{status}{cut}"
