"""Where things are kept when nobody says."""

import os
from pathlib import Path

__all__ = ["default_store_url"]


def default_store_url() -> str:
    """`ORE_STORE`, else SQLite under the user's data folder by the XDG rules."""
    given = os.environ.get("ORE_STORE")
    if given:
        return given
    data = os.environ.get("XDG_DATA_HOME") or ""
    folder = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"
    return f"sqlite:{folder / 'ore' / 'ore.db'}"
