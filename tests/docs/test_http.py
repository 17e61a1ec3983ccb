"""The programs of the page on HTTP."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import delta, read_until, script
from docs.pages import copied, run

pytestmark = pytest.mark.slow


def test_what_an_agent_serves_is_followed_with_the_standard_library(tmp_path: Path) -> None:
    folder = copied("http", tmp_path)
    model = script(folder, [delta("Clear.")], repeat=True)
    environment = {"PATH": "/usr/bin:/bin", "ORE_STORE": "memory:", "HOME": str(folder), "ORE_MODEL": model}
    with subprocess.Popen([sys.executable, "serve.py"], cwd=folder, env=environment, stderr=subprocess.PIPE) as server:
        try:
            found = re.search(r"listening on (\S+)", read_until(server.stderr, b"\n").decode())
            assert found
            printed = run(folder, "follow.py", found[1]).splitlines()
        finally:
            server.kill()
    assert "text Clear." in printed and printed[-4:-2] == ["lifecycle done", "done"]
    assert printed[-2:] == ["True", "[{'op': 'set', 'key': 'ore.title', 'value': 'A trip'}]"]


def test_a_page_of_ones_own_shows_the_chat_as_an_element(tmp_path: Path) -> None:
    printed = run(copied("web", tmp_path), "own_page.py", ORE_MODEL=script(tmp_path, []))
    assert printed.splitlines() == ["True", "['shop']", "default-src 'none'"]


def test_sessions_stand_inside_another_application(tmp_path: Path) -> None:
    folder = copied("http", tmp_path)
    printed = run(folder, "embed.py", ORE_MODEL=script(folder, []))
    assert printed.splitlines() == ["401", "{'agents': [{'name': 'shop', 'description': ''}]}"]
