"""Sending, streaming, stopping, queueing: behaviours 1 to 7 of the web chat."""

import json
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from web.conftest import Chat, Server

pytestmark = pytest.mark.slow

IME = """([area, code]) => {
  area.dispatchEvent(new CompositionEvent('compositionstart', {bubbles: true, composed: true}));
  const seen = {bubbles: true, composed: true, cancelable: true};
  area.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', keyCode: code, isComposing: code !== 229, ...seen}));
}"""


def test_it_opens_ready_to_type_with_what_the_agent_is_and_some_beginnings(chat: Chat) -> None:
    expect(chat.box).to_be_focused()
    expect(chat.page.get_by_role("heading", name="Helper").last).to_be_visible()
    expect(chat.page.get_by_text("Says what you say.")).to_be_visible()
    starters = chat.page.locator(".starters button")
    assert 3 <= starters.count() <= 4
    starters.first.click()
    expect(chat.answers).to_have_count(1)


def test_enter_sends_and_shift_enter_is_a_new_line(chat: Chat) -> None:
    chat.box.fill("one")
    chat.box.press("Shift+Enter")
    chat.box.press_sequentially("two")
    chat.box.press("Enter")
    expect(chat.sayings.locator(".typed")).to_have_text("one\ntwo")
    expect(chat.answers.first).to_contain_text("two")


@pytest.mark.requirement("B88")
def test_enter_that_ends_a_composition_sends_nothing(chat: Chat) -> None:
    chat.box.fill("かな")
    area = chat.box.element_handle()
    for code in (13, 229):
        chat.page.evaluate(IME, [area, code])
    expect(chat.box).to_have_value("かな")
    expect(chat.page.locator(".said")).to_have_count(0)
    chat.ask("かな")
    expect(chat.sayings).to_have_count(1)


@pytest.mark.requirement("B88")
def test_two_clicks_on_send_are_one_message(chat: Chat) -> None:
    chat.box.fill("once")
    chat.page.get_by_role("button", name="Send").dblclick()
    expect(chat.answers).to_have_count(1)
    chat.rests()
    expect(chat.sayings).to_have_count(1)
    assert len(json.load(urllib.request.urlopen(f"{chat.url}/sessions/{chat.session}/turns"))) == 2


def test_on_a_phone_enter_is_a_new_line(pages: Callable[..., Page], server: Server) -> None:
    chat = Chat(pages(viewport={"width": 360, "height": 720}, has_touch=True, is_mobile=True), server.url).open()
    chat.box.fill("one")
    chat.box.press("Enter")
    expect(chat.box).to_have_value("one\n")
    chat.page.get_by_role("button", name="Send").click()
    expect(chat.answers).to_have_count(1)


@pytest.mark.requirement("B87")
def test_stop_works_after_a_reload_and_what_was_said_stays(chat: Chat) -> None:
    chat.say("hold on")
    expect(chat.page.get_by_label("Answer, being written")).to_contain_text("I begin and")
    chat.page.reload()
    expect(chat.page.get_by_label("Answer, being written")).to_contain_text("I begin and")
    expect(chat.page.locator("details.reasoning")).to_have_count(1)  # a block that closed before the reload
    chat.stop()
    chat.rests()
    expect(chat.answers).to_contain_text("I begin and")
    expect(chat.answers).to_contain_text("Stopped here")


@pytest.mark.requirement("B87")
def test_stop_works_from_another_tab_and_the_first_sees_it(
    chat: Chat, pages: Callable[..., Page], server: Server
) -> None:
    chat.say("hold on")
    expect(chat.page.get_by_label("Answer, being written")).to_be_visible()
    other = Chat(pages(), server.url).open(f"/chat?thread={chat.session}")
    expect(other.page.get_by_label("Answer, being written")).to_contain_text("I begin and")
    other.stop()
    other.rests()
    chat.rests()
    expect(chat.answers).to_contain_text("Stopped here")


def test_messages_wait_as_chips_and_can_be_taken_back(chat: Chat) -> None:
    chat.say("hold on")
    expect(chat.page.get_by_label("Answer, being written")).to_be_visible()
    chat.say("second")
    chat.say("third")
    chips = chat.page.get_by_role("list", name="Waiting messages").get_by_role("listitem")
    expect(chips).to_have_text(["second", "third"])
    chat.page.get_by_role("button", name="Remove waiting message: second").click()
    expect(chips).to_have_text(["third"])
    chat.stop()
    chat.rests()
    expect(chat.sayings.locator(".typed")).to_have_text(["hold on", "third"])


def test_a_message_that_others_queued_is_shown_with_its_text(
    chat: Chat, pages: Callable[..., Page], server: Server
) -> None:
    chat.say("hold on")
    expect(chat.page.get_by_label("Answer, being written")).to_be_visible()
    other = Chat(pages(), server.url).open(f"/chat?thread={chat.session}")
    other.say("from elsewhere")
    expect(chat.page.get_by_role("list", name="Waiting messages")).to_contain_text("from elsewhere")
    chat.stop()
    chat.rests()


def test_a_message_that_was_not_sent_keeps_its_text_and_can_be_sent_again(chat: Chat) -> None:
    chat.ask("first")
    chat.page.route("**/messages", lambda route: route.abort())
    chat.say("precious words")
    expect(chat.page.get_by_text("Not sent")).to_be_visible()
    expect(chat.page.get_by_label("Your message, being sent")).to_contain_text("precious words")
    chat.page.unroute("**/messages")
    chat.page.get_by_role("button", name="Retry").click()
    chat.rests()
    expect(chat.sayings.locator(".typed")).to_have_text(["first", "precious words"])


def test_what_was_not_sent_goes_out_after_a_reload(chat: Chat) -> None:
    chat.ask("first")
    chat.page.route("**/messages", lambda route: route.abort())
    chat.say("precious words")
    expect(chat.page.get_by_text("Not sent")).to_be_visible()
    chat.page.unroute("**/messages")
    chat.page.reload()
    expect(chat.sayings.locator(".typed")).to_have_text(["first", "precious words"])


def test_a_message_whose_answer_was_lost_is_not_taken_twice(chat: Chat) -> None:
    chat.ask("first")

    def lose(route: object) -> None:
        route.fetch()  # type: ignore[attr-defined]  # the server has it, the page never hears so
        route.abort()  # type: ignore[attr-defined]

    chat.page.route("**/messages", lose, times=1)
    chat.say("only once")
    expect(chat.answers).to_have_count(2)
    chat.page.reload()
    chat.rests()
    expect(chat.sayings.locator(".typed")).to_have_text(["first", "only once"])


def test_what_streams_changes_the_page_at_most_once_per_frame_and_leaves_what_stands(chat: Chat) -> None:
    chat.ask("**bold** words")
    chat.page.evaluate("""() => {
      const root = document.querySelector('ore-chat').shadowRoot
      window.seen = {frames: 0, old: 0, batches: 0}
      const first = root.querySelector('article.answer .md')
      const all = {subtree: true, childList: true, characterData: true}
      new MutationObserver(() => { window.seen.old++ }).observe(first, all)
      new MutationObserver(() => { window.seen.batches++ }).observe(root.querySelector('.column'), all)
      const tick = () => { window.seen.frames++; requestAnimationFrame(tick) }
      requestAnimationFrame(tick)
    }""")
    chat.ask("slow please")
    seen = chat.page.evaluate("window.seen")
    assert seen["old"] == 0
    assert seen["batches"] <= seen["frames"] + 10


def test_it_follows_only_while_the_reader_is_at_the_end(chat: Chat) -> None:
    chat.ask("long one")
    log = chat.page.get_by_role("log")
    bottom = "log => log.scrollHeight - log.scrollTop - log.clientHeight"
    assert log.evaluate(bottom) < 5
    log.evaluate("log => { log.scrollTop = 100 }")
    jump = chat.page.get_by_role("button", name="Jump to latest")
    expect(jump).to_be_visible()
    script = urllib.request.Request(
        f"{chat.url}/sessions/{chat.session}/messages",
        json.dumps({"content": "slow from a script"}).encode(),
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(script).read()
    chat.rests()
    expect(chat.sayings).to_have_count(2)
    assert log.evaluate("log => log.scrollTop") == 100
    jump.click()
    assert log.evaluate(bottom) < 5
    expect(jump).to_have_count(0)
