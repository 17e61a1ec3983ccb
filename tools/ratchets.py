"""Bounds that only ever tighten: what ruff, mypy and import-linter cannot see.

Run by `make check`; prints one line per fault and fails when there is any.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 400
MAX_PUBLIC_NAMES = 40

VAGUE = {"utils", "util", "helpers", "helper", "common"}

# Brackets keep each pattern from matching its own line.
MACHINE = re.compile(
    r"py[p]i\.org|python[h]osted|npm[j]s\.(?:org|com)|deb\.[d]ebian|/w[o]rk/|/f[a]rm/|/r[o]ot/|/t[m]p/bash_jobs"
)

# Everything under src/ore that is not core.
OUTER = {"cli", "app", "ext"}
CORE_MAY_IMPORT = sys.stdlib_module_names | {"msgspec", "ore"}
# The one exception, on first use: schemas of plain functions.
SCHEMA = Path("src/ore/tool/schema.py")


def project_files(root: Path) -> list[Path]:
    """What git holds or would take, relative to `root`."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [path for name in sorted(set(listed.split("\0"))) if name and (root / (path := Path(name))).is_file()]


def long_files(root: Path, files: list[Path]) -> Iterator[str]:
    """One noun, one file: the longest is still read in one sitting."""
    for path in _sources(files):
        lines = len((root / path).read_text().splitlines())
        if lines > MAX_LINES:
            yield f"{path}: {lines} lines, at most {MAX_LINES}"


def vague_names(files: list[Path]) -> Iterator[str]:
    """A file that could hold anything will."""
    for path in files:
        vague = VAGUE & {part.partition(".")[0] for part in path.parts}
        if vague:
            yield f"{path}: {vague.pop()!r} names no noun"


def machine_names(root: Path, files: list[Path]) -> Iterator[str]:
    """Hosts of registries and paths of machines have no place in the project."""
    for path in files:
        text = (root / path).read_text(errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if found := MACHINE.search(line):
                yield f"{path}:{number}: names a host or a machine's path: {found[0]!r}"


def core_imports(root: Path, files: list[Path]) -> Iterator[str]:
    """Core imports the standard library and msgspec, inside functions too."""
    for path in _sources(files):
        if path.parts[2] in OUTER:
            continue
        allowed = CORE_MAY_IMPORT | {"pydantic"} if path == SCHEMA else CORE_MAY_IMPORT
        for number, module in _imports(ast.parse((root / path).read_text())):
            if module.partition(".")[0] not in allowed:
                yield f"{path}:{number}: core imports {module!r}"
            elif module.startswith("pydantic") and _at_top(root / path, number):
                yield f"{path}:{number}: {module!r} is imported on first use only"


def public_names(names: list[str]) -> Iterator[str]:
    """The front door stays small; adding a name is a decision."""
    if len(names) > MAX_PUBLIC_NAMES:
        yield f"ore.__all__: {len(names)} names, at most {MAX_PUBLIC_NAMES}"


def _sources(files: list[Path]) -> list[Path]:
    return [path for path in files if path.suffix == ".py" and path.is_relative_to("src/ore")]


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "ore" if not node.level else "ore"


def _at_top(path: Path, number: int) -> bool:
    return any(statement.lineno == number for statement in ast.parse(path.read_text()).body)


def main() -> int:
    import ore

    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()

    root = Path(__file__).resolve().parent.parent
    files = project_files(root)
    faults = [
        *long_files(root, files),
        *vague_names(files),
        *machine_names(root, files),
        *core_imports(root, files),
        *public_names(list(ore.__all__)),
    ]
    print("\n".join(faults) or f"ratchets hold over {len(files)} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
