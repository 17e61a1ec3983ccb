"""What to do about what `ore doctor` found, in one line."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from ore.errors import (
    AuthenticationError,
    ConnectionFailedError,
    CorruptError,
    InputError,
    ModelNotFoundError,
    OreError,
    ProviderError,
)

__all__ = ["about_agent", "about_keys", "about_model", "about_store"]

_RUN: Final = re.compile("run `([^`]+)`")
"""What messages that know the remedy say."""
_VARIABLE: Final = re.compile(r"environment variables? ([A-Z_]+)")
_ALIASES: Final[Mapping[str, str]] = {"CLAUDE_API_KEY": "ANTHROPIC_API_KEY", "GOOGLE_AI_API_KEY": "GEMINI_API_KEY"}
"""Names that people give to keys and that are like no right one."""
_LIKE_A_KEY: Final = re.compile("KEY|TOKEN")
_NEAR: Final = 0.8
"""How like a right name a wrong one is: `OPENAI_KEY` is 0.83."""


def about_keys(names: Iterable[str], environment: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the variables of keys; never their values.

    Args:
        names: The right ones.
        environment: What is set.
    """
    known = list(names)
    for name in known:
        value = environment.get(name, "")
        if value != value.strip().strip("'\""):
            yield f"set {name} again without the blanks or quotes around its value"
    for name in environment:
        if name in known or not _LIKE_A_KEY.search(name) or not environment[name]:
            continue
        meant = _ALIASES.get(name) or next(iter(get_close_matches(name, known, n=1, cutoff=_NEAR)), None)
        if meant is not None and not environment.get(meant):
            yield f"rename {name}, which nothing reads, to {meant}"


def about_model(error: Exception, name: str) -> str:
    """What to do about a model that does not answer."""
    said = str(error)
    remedy = _RUN.search(said)
    if remedy:
        return f"run `{remedy[1]}`"
    if isinstance(error, AuthenticationError):
        variable = _VARIABLE.search(said)
        if variable:
            return f"set {variable[1]} to a key of that server, or name another model with --model"
        return "get a key that the server takes, and set it in place of the one that is set"
    if "base URL" in said:
        return "give an address that begins with http:// or https:// as --base-url or in the provider's variable"
    if name.startswith("scripted:") and isinstance(error, InputError):
        return f"mend the file {name.partition(':')[2]!r}, or name another model with --model or ORE_MODEL"
    if isinstance(error, ConnectionFailedError):
        return "start the server, or give its address with --base-url"
    if isinstance(error, ModelNotFoundError | InputError):
        return f"name another model than {name!r} with --model or ORE_MODEL; `ore models` lists many"
    if isinstance(error, ProviderError) and error.retryable:
        return "try again in a while; the server is there and cannot answer now"
    return f"try another model than {name!r} with --model, to see whether it is the model or the way to it"


def about_store(error: Exception, url: str) -> str:
    """What to do about a store that cannot be used."""
    kind, _, rest = url.partition(":")
    path = Path(rest).absolute()
    said = str(error)
    if isinstance(error, CorruptError):
        moved = shlex.join(["mv", str(path), f"{path}.broken"])
        return f"move it away, which keeps what is in it: {moved}; a new one is made"
    if "newer ore" in said:
        return "install a newer ore, or name another store with --store or ORE_STORE, such as sqlite:PATH"
    is_files = kind in ("sqlite", "json") and isinstance(error, OreError) and not isinstance(error, InputError)
    if not is_files or "another program" in said:
        return "name another store with --store or ORE_STORE, such as sqlite:PATH"
    if "in use" in said or "another process" in said:
        return f"end the other process that has {path} open, or name another store with --store"
    return (
        f"see to it that {path} can be made and written ({_why(path, kind)}), or name another with --store or ORE_STORE"
    )


def _why(path: Path, kind: str) -> str:
    """What stands in the way of a store: the store itself, or the folder that it would be made in."""
    there = next((one for one in (path, *path.parents) if one.exists()), path)
    is_wrong = there.is_dir() == (there == path and kind == "sqlite")
    if is_wrong:
        return f"{there} is {'a' if there.is_dir() else 'no'} folder"
    return f"{there} {'may be written' if os.access(there, os.W_OK) else 'is read-only'}"


def about_agent(name: str) -> str:
    """What to do about an agent of the environment that is not there."""
    return f"set ORE_AGENT to module:attribute of a file in this folder, instead of {name!r}, or unset it"
