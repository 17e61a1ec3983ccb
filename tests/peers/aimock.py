"""aimock, a mock of many vendors from the registry of Node: installed when a test first needs it, never committed.

Its inexact spots: Gemini's calls end with `FUNCTION_CALL` where the vendor says
`STOP`; Ollama's counts are 0, its thinking has another name, and what went
wrong is an object.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest

__all__ = ["PACKAGE", "aimock_server", "installed"]

PACKAGE: Final = "@copilotkit/aimock@1.43.0"

_INSTALL_S: Final = 120


def installed() -> Path:
    """The folder that it is installed in, beside the environment that the tests run in.

    It comes there as a whole or not at all, and stays for the next time. Skips
    the test where there is no npm, or the package cannot be had.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} here: {PACKAGE} is a package of Node")
    folder = Path(sys.prefix) / "peers" / PACKAGE.rpartition("@")[2]
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(dir=folder.parent))
        try:
            _install(made)
            os.rename(made, folder)
        except OSError:  # another run was first
            if not folder.is_dir():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder


def _install(folder: Path) -> None:
    words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"]
    words += [f"--cache={folder / 'cache'}", f"--prefix={folder}", PACKAGE]
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=_INSTALL_S, cwd=folder)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{PACKAGE} cannot be installed here: {type(error).__name__}")
    shutil.rmtree(folder / "cache", ignore_errors=True)


@contextmanager
def aimock_server(folder: Path, fixtures: list[Mapping[str, Any]], place: Path) -> Iterator[str]:
    """Where it answers, as long as the block; it also ends when whoever started it is gone.

    Args:
        folder: Where it is installed.
        fixtures: What it answers to what.
        place: A folder for a file with them.
    """
    path = place / "fixtures.json"
    path.write_text(json.dumps({"fixtures": fixtures}))
    words: list[str | Path] = ["node", Path(__file__).parent / "aimock_server.mjs", folder, path]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()
