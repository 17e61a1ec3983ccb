"""A hostile thread in a real browser: no script runs, nothing leaves the page, what was said can be read."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")

from playwright.sync_api import Dialog, Page, sync_playwright

from export.test_html import HOSTILE, everywhere
from export.threads import rich
from ore.ext.export import export_html

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not Path(CHROMIUM).exists():
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


class Shown:
    """A page in the browser, and what it did."""

    def __init__(self, browser: Any, folder: Path, source: str) -> None:
        self.file = folder / "thread.html"
        self.file.write_text(source, encoding="utf-8")
        self.done: list[str] = []
        context = browser.new_context()
        context.add_init_script("window.hits = 0; window.hit = () => { window.hits += 1; alert('hit'); }")
        self.page: Page = context.new_page()
        self.page.on("dialog", self._asked)
        self.page.on("request", lambda request: self._requested(request.url))
        self.page.on("popup", lambda popup: self.done.append("popup"))
        self.page.on("pageerror", lambda error: self.done.append(f"error {error}"))
        self.page.goto(self.file.as_uri(), wait_until="networkidle")

    def _asked(self, dialog: Dialog) -> None:
        self.done.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _requested(self, url: str) -> None:
        if url != self.file.as_uri() and not url.startswith("data:image/"):
            self.done.append(f"request {url[:80]}")

    def open_all(self) -> None:
        """Unfold everything, as a reader would."""
        self.page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")


@pytest.mark.requirement("D-export-inert")
def test_nothing_of_a_hostile_thread_runs_or_is_loaded(browser: Any, tmp_path: Path) -> None:
    shown = Shown(browser, tmp_path, export_html(everywhere(*HOSTILE)))
    shown.open_all()
    assert (shown.done, shown.page.evaluate("window.hits")) == ([], 0)
    assert shown.page.url == shown.file.as_uri()
    assert shown.page.inner_text("body").count("hit()") >= 10 * len([text for text in HOSTILE if "hit()" in text])
    assert shown.page.locator("script, iframe, object, embed, form, base, svg, link").count() == 0
    assert shown.page.evaluate("document.querySelectorAll('img').length") == len(HOSTILE)


@pytest.mark.requirement("D-export-inert")
def test_the_pages_policy_stops_what_would_still_be_there(browser: Any, tmp_path: Path) -> None:
    """Were anything to get past the escaping, it would not run and load nothing."""
    source = export_html(rich()).replace(
        "</main>", "<script>hit()</script><img src=x onerror=hit()><img src='http://127.0.0.1:9/a.png'></main>"
    )
    shown = Shown(browser, tmp_path, source)
    assert shown.page.evaluate("window.hits") == 0
    assert [done for done in shown.done if done.startswith(("dialog", "popup"))] == []


@pytest.mark.requirement("D-export-html")
def test_a_page_can_be_read_with_its_style_and_its_pictures(browser: Any, tmp_path: Path) -> None:
    shown = Shown(browser, tmp_path, export_html(rich()))
    body = shown.page.inner_text("body")
    assert "How far is it?" in body and "found" not in body
    shown.open_all()
    body = shown.page.inner_text("body")
    assert "found" in body and "And then?" in body and "*thinking*" in body
    assert shown.page.evaluate("getComputedStyle(document.body).maxWidth") == "960px"
    assert shown.page.evaluate("document.querySelector('img').naturalWidth") == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert shown.done == []
