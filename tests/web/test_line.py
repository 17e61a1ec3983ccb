"""The line, the look and the limits: behaviours 18, 24 and 25 of the web chat."""

import gzip
import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.conftest import ROOT, Chat, Server

pytestmark = pytest.mark.slow

AXE = ROOT / "web/node_modules/axe-core/axe.min.js"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """A server of this test alone, which may die."""
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.mark.requirement("B85")
def test_after_the_server_was_killed_and_came_back_nothing_is_lost_or_doubled(
    pages: Callable[..., Page], own: Server
) -> None:
    chat = Chat(pages(), own.url).open()
    chat.ask("before")
    own.kill()
    expect(chat.page.get_by_text("The connection was lost")).to_be_visible()
    chat.say("written meanwhile")
    expect(chat.page.get_by_text("Not sent")).to_be_visible()
    own.start()
    expect(chat.sayings.locator(".typed")).to_have_text(["before", "written meanwhile"])
    expect(chat.answers).to_have_count(2)
    chat.rests()
    chat.page.reload()
    expect(chat.sayings.locator(".typed")).to_have_text(["before", "written meanwhile"])


@pytest.mark.requirement("B85")
def test_a_line_that_is_cut_in_mid_answer_is_resumed_without_loss_or_doubles(chat: Chat) -> None:
    chat.ask("before")
    chat.page.evaluate("""() => {
      const real = window.fetch
      window.cuts = 0
      window.fetch = async (...given) => {
        const answer = await real(...given)
        if (!String(given[0]).includes('/events')) return answer
        let left = 1 + window.cuts * 7
        const cut = new TransformStream({transform(piece, out) {
          out.enqueue(piece)
          if (window.cuts < 6 && --left < 0) { window.cuts++; out.error(new TypeError('cut')) }
        }})
        return new Response(answer.body.pipeThrough(cut), {headers: answer.headers})
      }
    }""")
    chat.page.context.set_offline(True)  # the line that is open was not made by this fetch
    expect(chat.page.get_by_text("You are offline")).to_be_visible()
    chat.page.context.set_offline(False)
    expect(chat.page.get_by_text("You are offline")).to_have_count(0)
    chat.ask("slow please")
    assert chat.page.evaluate("window.cuts") == 6
    expect(chat.answers.last.locator(".text")).to_have_text(("Slowly, word by word, this goes on. " * 40).strip())


def test_offline_says_so_and_what_was_said_goes_out_when_the_line_is_back(chat: Chat) -> None:
    chat.ask("before")
    chat.page.context.set_offline(True)
    expect(chat.page.get_by_text("You are offline")).to_be_visible()
    chat.say("in a tunnel")
    expect(chat.page.get_by_label("Your message, being sent")).to_contain_text("in a tunnel")
    chat.page.context.set_offline(False)
    expect(chat.sayings.locator(".typed")).to_have_text(["before", "in a tunnel"])
    expect(chat.page.get_by_text("You are offline")).to_have_count(0)


def test_a_laptop_that_slept_through_an_answer_shows_all_of_it(
    chat: Chat, pages: Callable[..., Page], server: Server
) -> None:
    chat.ask("before")
    chat.page.context.set_offline(True)
    other = Chat(pages(), server.url).open(f"/chat?thread={chat.session}")
    other.ask("long one")
    chat.page.context.set_offline(False)
    expect(chat.answers).to_have_count(2)
    expect(chat.answers.last).to_contain_text("Paragraph 40")


def test_two_tabs_and_a_script_see_the_same(chat: Chat, pages: Callable[..., Page], server: Server) -> None:
    chat.ask("first")
    other = Chat(pages(), server.url).open(f"/chat?thread={chat.session}")
    with urllib.request.urlopen(f"{chat.url}/sessions/{chat.session}/events?kinds=*") as events:
        other.ask("think of **both**")
        told: list[Any] = []
        while not told or told[-1].get("outcome") is None:
            line = events.readline()
            if line.startswith(b"data: "):
                told.append(json.loads(line[6:]))
    fragments = "".join(event["content"] for event in told if event["kind"] == "text_delta")
    assert fragments == "think of **both**"
    assert [event["content"] for event in told if event["kind"] == "reasoning"] == ["First **both** sides."]
    for tab in (chat, other):
        expect(tab.answers).to_have_count(2)
        expect(tab.answers.last.locator(".text").last).to_have_text("think of both")
        expect(tab.page.locator("details.reasoning")).to_have_count(1)
        assert tab.page.url.endswith(chat.session)


def test_nothing_serious_stands_in_the_way_of_anybody(chat: Chat) -> None:
    if not AXE.exists():
        pytest.skip("axe is not installed: run make web")
    chat.ask("# Title\n\nsome `code` and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 'y'  # z\n```")
    chat.ask("edit it")
    chat.page.locator("details.tool > summary").click()
    chat.say("ask me")
    expect(chat.page.get_by_role("region", name="Approval of wipe")).to_be_visible()
    for scheme in ("light", "dark"):
        chat.page.emulate_media(color_scheme=scheme)
        chat.page.evaluate(AXE.read_text())
        found = chat.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        bad = [
            (one["id"], node["html"][:160], node["failureSummary"][:300])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert bad == []
    chat.page.get_by_role("button", name="Deny").click()
    chat.rests()


def test_everything_can_be_done_by_keyboard_and_the_answer_is_told(chat: Chat) -> None:
    chat.page.keyboard.type("by keys")
    chat.page.keyboard.press("Enter")
    chat.rests()
    expect(chat.page.locator("[aria-live=polite]")).to_have_text("by keys")
    reached = set()
    for _ in range(40):
        chat.page.keyboard.press("Shift+Tab")
        reached.add(
            chat.page.evaluate(
                "(() => { const one = document.querySelector('ore-chat').shadowRoot.activeElement;"
                " return one && (one.getAttribute('aria-label') || one.textContent) })()"
            )
        )
    assert {"Attach files", "Regenerate", "Edit", "Copy", "New chat", "Conversation"} <= reached


def test_it_fits_a_phone_and_text_of_twice_the_size(pages: Callable[..., Page], server: Server) -> None:
    chat = Chat(pages(viewport={"width": 360, "height": 640}), server.url).open()
    chat.ask("a_word_without_any_break_" * 20 + "\n\n```\n" + "x" * 300 + "\n```")
    chat.ask("edit it")
    fits = """document.documentElement.scrollWidth <= innerWidth
      && document.querySelector('ore-chat').shadowRoot.querySelector('.log').scrollWidth <= innerWidth"""
    assert chat.page.evaluate(fits)
    chat.page.get_by_role("button", name="Conversations").click()
    expect(chat.page.get_by_role("button", name="New chat")).to_be_visible()
    chat.page.get_by_role("button", name="Close the list").click(position={"x": 340, "y": 300})
    chat.page.set_viewport_size({"width": 320, "height": 480})
    assert chat.page.evaluate(fits)


def test_it_is_dark_where_the_system_is_and_when_it_is_asked_to_be(pages: Callable[..., Page], server: Server) -> None:
    page = pages(color_scheme="dark")
    chat = Chat(page, server.url).open()
    back = "getComputedStyle(document.querySelector('ore-chat')).backgroundColor"
    assert page.evaluate(back) == "rgb(21, 24, 28)"
    chat.page.get_by_role("button", name="Change the theme").click()
    assert page.evaluate(back) == "rgb(255, 255, 255)"
    page.reload()
    expect(chat.box).to_be_visible()
    assert page.evaluate(back) == "rgb(255, 255, 255)"


def test_text_from_right_to_left_runs_so(chat: Chat) -> None:
    answer = chat.ask("שלום עולם")
    assert answer.locator(".text").evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_what_is_loaded_at_first_is_small(pages: Callable[..., Page], server: Server) -> None:
    page = pages()
    loaded: list[str] = []
    page.on("response", lambda response: loaded.append(response.url))
    Chat(page, server.url).open()
    page.wait_for_load_state("networkidle")
    size = sum(len(gzip.compress(urllib.request.urlopen(url).read())) for url in set(loaded))
    assert size < 150_000


def test_a_conversation_of_a_thousand_messages_opens_within_seconds_and_goes_back_as_one_scrolls(
    pages: Callable[..., Page], own: Server
) -> None:
    chat = Chat(pages(), own.url).open()
    chat.ask("start")
    session = chat.session
    for number in range(499):
        body = f'{{"content": "**message** number {number}"}}'.encode()
        request = urllib.request.Request(
            f"{own.url}/sessions/{session}/messages", body, {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request).read()
    chat.page.reload()
    expect(chat.answers.last).to_contain_text("number 498")
    log = chat.page.get_by_role("log")
    log.evaluate("log => { log.scrollTop = 0 }")
    expect(chat.sayings).to_have_count(60)
    assert log.evaluate("log => log.scrollTop") > 0


def test_a_token_is_asked_for_and_kept_by_the_browser_alone(
    pages: Callable[..., Page], tmp_path: Path, server: Server
) -> None:
    guarded = Server(tmp_path, token="open-sesame")
    guarded.start()
    try:
        page = pages()
        page.goto(guarded.url + "/")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Token").fill("open-sesame")
        page.get_by_role("button", name="Sign in").click()
        chat = Chat(page, guarded.url)
        chat.ask("let me in")
        page.reload()
        expect(chat.answers).to_contain_text("let me in")
        assert "sesame" not in page.evaluate(
            "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"
        )
        assert "sesame" not in page.url
    finally:
        guarded.stop()


def test_below_a_path_of_another_application_it_works_with_its_token_as_at_the_root(
    pages: Callable[..., Page], tmp_path: Path
) -> None:
    below = Server(tmp_path, token="open-sesame", below="/tools/agent")
    below.start()
    try:
        page = pages()
        page.goto(f"{below.url}/?token=open-sesame")
        assert page.url == f"{below.url}/"
        chat = Chat(page, below.url)
        chat.ask("below a path")
        assert page.url.startswith(f"{below.url}/chat?thread=")
        page.reload()
        expect(chat.answers).to_contain_text("below a path")
    finally:
        below.stop()


HOST = """<!doctype html><html lang="en"><head><title>Host</title>
<script type="module" src="/static/ore-chat.js"></script></head>
<body><h1>A page of somebody</h1><main><ore-chat server="/"></ore-chat></main></body></html>"""


def test_another_page_embeds_it_as_one_element(pages: Callable[..., Page], server: Server) -> None:
    page = pages()
    page.route("**/host.html", lambda route: route.fulfill(body=HOST, content_type="text/html"))
    page.goto(f"{server.url}/host.html")
    chat = Chat(page, server.url)
    chat.ask("from inside")
    expect(chat.answers).to_contain_text("from inside")
    assert page.url.endswith("/host.html")
    assert page.title() == "Host"
    expect(page.get_by_role("navigation")).to_have_count(0)
    session = page.locator("ore-chat").get_attribute("session")
    page.evaluate(
        """id => {
      const other = document.createElement('ore-chat')
      other.setAttribute('session', id)
      document.querySelector('ore-chat').replaceWith(other)
    }""",
        session,
    )
    expect(chat.answers).to_contain_text("from inside")


def test_the_end_stays_in_sight_when_the_window_changes(chat: Chat) -> None:
    chat.ask("long one")
    chat.page.set_viewport_size({"width": 420, "height": 500})
    chat.page.wait_for_function(
        "(() => { const log = document.querySelector('ore-chat').shadowRoot.querySelector('.log');"
        " return log.clientHeight < 450 && log.scrollHeight - log.scrollTop - log.clientHeight < 5 })()"
    )
    expect(chat.page.get_by_role("button", name="Jump to latest")).to_have_count(0)
