"""Where things are kept when nobody says."""

import os
from pathlib import Path

__all__ = ["data_folder", "default_store_url"]


def data_folder() -> Path:
    """Ore's folder under the user's data folder by the XDG rules."""
    data = os.environ.get("XDG_DATA_HOME") or ""
    folder = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"
    return folder / "ore"


def default_store_url() -> str:
    """`ORE_STORE`, else SQLite in the data folder."""
    return os.environ.get("ORE_STORE") or f"sqlite:{data_folder() / 'ore.db'}"
