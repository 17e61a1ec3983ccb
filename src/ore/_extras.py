"""`install_line`: how an extra is installed beside the ore that runs."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["install_line"]

_DISTRIBUTION = "ore-agents"


def install_line(extra: str) -> str:
    """The command that adds an extra, from wherever this ore was installed.

    That is the index; or the folder, the file or the repository that pip has
    noted, since what came from there may be on no index.
    """
    name = f"{_DISTRIBUTION}[{extra}]"
    origin = _origin()
    url = str(origin.get("url", ""))
    if not url:
        return f"pip install '{name}'"
    if "dir_info" not in origin:
        return f"pip install '{name} @ {_pinned(url, origin)}'"
    editable = "-e " if origin["dir_info"].get("editable") else ""
    folder = unquote(urlsplit(url).path).replace("'", "'\\''")
    return f"pip install {editable}'{folder}[{extra}]'"


def _origin() -> dict[str, Any]:
    """What pip noted of where ore came from (PEP 610); nothing for what came from an index."""
    try:
        noted = json.loads(distribution(_DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError, OSError):
        return {}
    return noted if isinstance(noted, dict) else {}


def _pinned(url: str, origin: dict[str, Any]) -> str:
    """The address as pip takes it, at the commit that is installed, fit to stand in single quotes."""
    url, vcs = url.replace("'", "%27"), origin.get("vcs_info")
    return f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url
