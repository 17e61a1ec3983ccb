"""The parts of the page that need no browser, under Node's own test runner."""

import shutil
import subprocess

import pytest

from web.conftest import ROOT

WEB = ROOT / "web"


@pytest.mark.slow
def test_the_reducer_and_the_parsers_of_the_page_hold_their_properties() -> None:
    node = shutil.which("node")
    if node is None or not (WEB / "node_modules/esbuild").exists():
        pytest.skip("what the page is built with is not installed: run make web")
    done = subprocess.run([node, "test/run.mjs"], cwd=WEB, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
    assert "# fail 0" in done.stdout
