"""`ore mock` as a process."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli.command import read_until, start

READY = "listening on "


@contextmanager
def mocking(
    folder: Path, *calls: Sequence[Any], vendor: str = "openai", words: Sequence[str] = (), **more: Any
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Its address and its process, which is gone afterwards."""
    (folder / "mock.json").write_text(json.dumps({"calls": calls, **more}))
    given = ("mock", "--vendor", vendor, "--script", "mock.json", "--port", "0", *words)
    with start(*given, folder=folder) as process:
        try:
            line = read_until(process.stderr, b"\n").decode()
            assert line.startswith(READY), line
            yield line.removeprefix(READY).strip(), process
        finally:
            process.kill()
            process.communicate()
