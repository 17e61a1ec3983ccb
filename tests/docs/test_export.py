"""The program of the page on export runs, and makes what the page says."""

from pathlib import Path

import pytest

from cli.command import delta, script
from docs.pages import copied, run


@pytest.mark.slow
def test_a_conversation_is_shared_as_text_and_as_a_page(tmp_path: Path) -> None:
    folder = copied("export", tmp_path)
    model = script(folder, [delta("About 384,400 km.")])
    printed = run(folder, "share.py", ORE_MODEL=model)
    assert printed.startswith("Thread: moon\n\n=== user (") and "About 384,400 km." in printed
    assert "How <em>far</em> is the moon?" in (folder / "moon.html").read_text()
