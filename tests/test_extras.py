"""How an extra is said to be installed: as ore itself was."""

import json
from pathlib import Path
from typing import Any

import pytest

from ore._extras import install_line

WHEEL = "file:///tmp/x/ore_agents-0.1.0-py3-none-any.whl"
REPOSITORY = {"url": "https://example.org/ore", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "pip install 'ore-agents[tui]'"),
        ({"url": "file:///a%20b/ore", "dir_info": {"editable": True}}, "pip install -e '/a b/ore[tui]'"),
        ({"url": "file:///a/ore", "dir_info": {}}, "pip install '/a/ore[tui]'"),
        ({"url": "file:///it%27s/ore", "dir_info": {}}, "pip install '/it'\\''s/ore[tui]'"),
        ({"url": WHEEL, "archive_info": {}}, f"pip install 'ore-agents[tui] @ {WHEEL}'"),
        (REPOSITORY, "pip install 'ore-agents[tui] @ git+https://example.org/ore@abc'"),
    ],
    ids=["index", "clone", "folder", "quote", "wheel", "repository"],
)
def test_an_extra_comes_from_where_ore_came_from(
    origin: dict[str, Any] | None, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = tmp_path / "ore_agents-0.1.0.dist-info"
    noted.mkdir()
    (noted / "METADATA").write_text("Metadata-Version: 2.1\nName: ore-agents\nVersion: 0.1.0\n")
    if origin is not None:
        (noted / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(tmp_path)
    assert install_line("tui") == line
