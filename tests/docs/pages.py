"""Pages and their programs: what a page shows is a file, and the file runs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["DOCS", "copied", "run", "shown"]

DOCS = Path(__file__).parents[2] / "docs"

_BLOCK = re.compile(r"<!-- (docs/src/\S+) -->\n```\w+\n(.*?)```", re.DOTALL)


def shown(page: Path) -> dict[str, str]:
    """The files that a page shows, with what it shows of them."""
    return dict(_BLOCK.findall(page.read_text()))


def copied(name: str, folder: Path) -> Path:
    """A copy of the programs of a page."""
    return Path(shutil.copytree(DOCS / "src" / name, folder / name))


def run(folder: Path, program: str, *words: str, **variables: str) -> str:
    """What a program prints."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "ORE_STORE": "memory:", "HOME": str(folder), **variables}
    done = subprocess.run(
        [sys.executable, program, *words], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    return done.stdout
