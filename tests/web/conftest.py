"""A real browser before a real server; pictures of what was seen go to `build/web`."""

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
pytest.importorskip("uvicorn", reason="the browser tests need the http extra")

from playwright.sync_api import Browser, Dialog, Locator, Page, expect, sync_playwright  # noqa: E402 - after the skip

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
STATIC = ROOT / "src/ore/ext/conduits/http/static/ore-chat.js"
PICTURES = ROOT / "build/web"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# A busy machine takes its time; what is right is seen at once.
expect.set_options(timeout=30_000)

EXPECTED_NOISE = re.compile(r"Failed to load resource|net::ERR")


class Server:
    """The HTTP conduit in a process of its own; see `serving.py`."""

    def __init__(self, folder: Path, token: str = "", below: str = "") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}{below}"
        self._below = below
        self._folder = folder
        self._token = token
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = [
            sys.executable,
            str(Path(__file__).parent / "serving.py"),
            str(self.port),
            f"sqlite:{self._folder / 'ore.db'}",
            self._token,
            self._below,
        ]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=2):
                    return
            except OSError:
                assert self._process.poll() is None, (self._folder / "server.log").read_text()
                assert time.monotonic() < end, "the server did not come up"
                time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=8)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None


class Chat:
    """What a person does with the page."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    @property
    def box(self) -> Locator:
        return self.page.get_by_label("Message to")

    @property
    def answers(self) -> Locator:
        return self.page.get_by_label("Answer", exact=True)

    @property
    def sayings(self) -> Locator:
        return self.page.get_by_label("Your message", exact=True)

    def open(self, path: str = "/") -> "Chat":
        self.page.goto(self.url + path)
        expect(self.box).to_be_visible()
        return self

    def say(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def ask(self, text: str) -> Locator:
        """Say something and wait for the whole answer."""
        before = self.sayings.count()
        self.say(text)
        expect(self.sayings).to_have_count(before + 1)
        self.rests()
        return self.answers.last

    def rests(self) -> None:
        expect(self.page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
        expect(self.page.locator(".phase")).to_have_text("Ready")

    def stop(self) -> None:
        self.page.get_by_role("button", name="Stop", exact=True).click()

    @property
    def session(self) -> str:
        self.page.wait_for_url("**/chat?thread=*")
        return self.page.url.split("thread=")[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not STATIC.exists():
        pytest.skip("the page is not built: run make web")
    running = Server(tmp_path_factory.mktemp("web"))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with the module, since its loop would keep coroutine tests from theirs."""
    if not Path(CHROMIUM).exists():
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def pages(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens pages, each with a browser's memory of its own; at the end none has complained, or asked anybody else."""
    opened: list[Page] = []
    faults: list[str] = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(viewport=options.pop("viewport", {"width": 1200, "height": 800}), **options)
        context.set_default_timeout(30_000)
        page = context.new_page()
        watch(page, faults)
        opened.append(page)
        return page

    yield open_page
    PICTURES.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(opened):
        name = re.sub(r"\W+", "-", request.node.name.removeprefix("test_"))[:80]
        page.screenshot(path=PICTURES / f"{name}{'' if number == 0 else f'-{number}'}.png")
        page.context.close()
    assert faults == []


def watch(page: Page, faults: list[str]) -> None:
    """Note what no page may do: errors, broken policies, dialogs, requests to others."""
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))

    def opened(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def said(message: Any) -> None:
        if message.type == "error" and not EXPECTED_NOISE.search(message.text):
            faults.append(f"console: {message.text}")

    def asked(request: Any) -> None:
        if not re.match(r"http://127\.0\.0\.1:|data:|blob:", request.url):
            faults.append(f"request: {request.url}")

    page.on("dialog", opened)
    page.on("console", said)
    page.on("request", asked)


@pytest.fixture
def chat(pages: Callable[..., Page], server: Server) -> Chat:
    return Chat(pages(), server.url).open()
