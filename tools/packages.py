"""Build the wheel and the sdist, and install them as strangers do: each extra alone, in an environment that is empty.

    python tools/packages.py [EXTRA …]

Without names it tries the core, every extra of pyproject.toml, all of them at
once, and the sdist. In each environment `ore --version`, `ore run`, `ore
doctor` and the imports of what the extra is for have to work, and where an
extra is missing the command has to name it. Takes a few minutes; `make
packages` runs it. Releases of others come from constraints.txt.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

MODULES: Final[Mapping[str, Sequence[str]]] = {
    "": ("ore", "ore.testing.contracts", "ore.ext.stores.sqlite", "ore.ext.stores.json_dir", "ore.ext.mock"),
    "local": ("ore.ext.providers.local", "xllamacpp"),
    "http": ("ore.ext.conduits.http", "httptools"),
    "tui": ("ore.ext.conduits.terminal", "textual"),
    "mcp": ("ore.ext.tools.mcp", "mcp"),
    "fetch": ("ore.ext.tools.fetch", "html_to_markdown"),
    "otel": ("ore.ext.observe.otel", "opentelemetry"),
    "export": ("ore.ext.export", "markdown_it"),
    "postgres": ("psycopg",),
    "slack": ("slack_sdk",),
    "telegram": ("ore",),
    "all": ("ore.ext.conduits.http", "textual", "mcp", "psycopg"),
}
"""What each extra is there for: ore's module, and the package that it needs."""

SCRIPT: Final = json.dumps({"calls": [[{"kind": "text_delta", "content": "yes"}]], "repeat": True})

HOLDS_NO_SERVER: Final = frozenset({"", "local", "tui", "fetch", "otel", "export", "postgres", "slack", "telegram"})
"""Extras that bring no web server along, so that `ore serve` has to say what does; the SDK of MCP brings one."""

NEEDED: Final = ("ore/py.typed", "ore/ext/catalog/models.json", "ore/cli/main.py")
"""Files without which an installed ore is not whole."""


def main(words: Sequence[str]) -> int:
    """Try the extras and print a line for each; 1 when one fails."""
    known = declared(ROOT)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extras", metavar="EXTRA", nargs="*", help=f"{', '.join(known)}; all and the core without")
    wanted: Sequence[str] = parser.parse_args(words).extras
    for name in set(wanted) - set(known):
        parser.error(f"expected extras among {', '.join(known)}, got {name!r}")
    extras = list(wanted) or ["", *known]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        wheel, sdist = _built(folder)
        faults = [*missing(wheel), *_unlisted(extras)]
        for extra in extras:
            faults += _tried(folder / (extra or "core"), str(wheel), extra)
        if not wanted:
            faults += _tried(folder / "from_sdist", str(sdist), "")
    print("\n".join(faults) or "every extra installs alone and works")
    return 1 if faults else 0


def declared(root: Path) -> Sequence[str]:
    """The extras that pyproject.toml names."""
    with (root / "pyproject.toml").open("rb") as file:
        return list(tomllib.load(file)["project"]["optional-dependencies"])


def missing(archive: Path) -> Iterator[str]:
    """What a wheel or an sdist should hold and does not."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(archive) as sdist:
            names = [name.partition("/src/")[2] for name in sdist.getnames()]
    yield from (f"{archive.name}: {name} is missing" for name in NEEDED if name not in names)


def _unlisted(extras: Sequence[str]) -> Iterator[str]:
    yield from (f"{extra}: expected its modules in tools/packages.py" for extra in extras if extra not in MODULES)


def _built(folder: Path) -> tuple[Path, Path]:
    """The wheel, built from the sdist."""
    _run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], PIP_CONSTRAINT=_constraints())
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def _tried(folder: Path, archive: str, extra: str) -> Iterator[str]:
    """Install into an empty environment and use it; what went wrong."""
    venv.create(folder, with_pip=True)
    python, name = str(folder / "bin" / "python"), folder.name
    try:
        _run([python, "-m", "pip", "install", "-qq", "-c", _constraints(), f"{archive}[{extra}]" if extra else archive])
        for module in MODULES.get(extra, ()):
            _run([python, "-c", f"import {module}"], cwd=folder)
        _used(folder, extra)
    except subprocess.CalledProcessError as failed:
        yield f"{name}: {' '.join(map(str, failed.cmd))}\n{failed.stdout}{failed.stderr}"
        return
    print(f"{name}: installs alone, {len(MODULES.get(extra, ()))} imports, ore runs", flush=True)


def _used(folder: Path, extra: str) -> None:
    """The command works, and names the extra where one is missing."""
    ore, home = str(folder / "bin" / "ore"), folder / "home"
    home.mkdir()
    (home / "script.json").write_text(SCRIPT)
    words = ["--model", "scripted:script.json"]
    _run([ore, "--version"], cwd=home)
    said = _run([ore, "run", *words, "Hi"], cwd=home)
    if said.stdout != "yes\n":
        raise subprocess.CalledProcessError(0, [ore, "run"], said.stdout, said.stderr)
    _run([ore, "doctor", *words], cwd=home)
    if extra in HOLDS_NO_SERVER:
        told = subprocess.run(
            [ore, "serve", "--port", "0", *words],
            cwd=home,
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        if told.returncode != 2 or "pip install 'ore-agents[http] @ file:" not in told.stderr:
            raise subprocess.CalledProcessError(told.returncode, told.args, told.stdout, told.stderr)


def _run(words: Sequence[str], *, cwd: Path | None = None, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words, cwd=cwd, env=_environment() | variables, check=True, capture_output=True, text=True, timeout=600
    )


def _environment() -> dict[str, str]:
    """Ours, without keys, and without what would make modules of this tree visible."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {name: value for name, value in kept.items() if not name.startswith(("ORE_", "PYTHONPATH"))} | {
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "ORE_STORE": "memory:",
    }


def _constraints() -> str:
    return str(ROOT / "constraints.txt")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
