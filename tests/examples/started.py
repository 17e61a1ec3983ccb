"""Running the examples as their readers do: in a folder of their own, as a process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["EXAMPLES", "example", "start"]

EXAMPLES = Path(__file__).parents[2] / "examples"


def start(
    name: str, *words: str, folder: Path, model: str = "local", stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run the program of an example to its end."""
    environment = {**os.environ, "ORE_MODEL": model, "ORE_STORE": f"sqlite:{folder / 'ore.db'}"}
    return subprocess.run(
        [sys.executable, f"{example(name, folder)}/{name}.py", *words],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=200,
    )


def example(name: str, folder: Path) -> Path:
    """A copy of an example, made once."""
    return Path(shutil.copytree(EXAMPLES / name, folder / name, dirs_exist_ok=True))
