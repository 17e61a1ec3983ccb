"""Approvals, branches, conversations, files, commands, errors: behaviours 13 to 23 of the web chat."""

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from web.conftest import Chat, Server

pytestmark = pytest.mark.slow

TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def call(url: str, fields: dict[str, Any] | None = None, method: str = "POST") -> Any:
    body = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def test_an_approval_shows_the_exact_arguments_survives_a_reload_and_runs_what_was_shown(chat: Chat) -> None:
    chat.say("ask me")
    card = chat.page.get_by_role("region", name="Approval of wipe")
    expect(card).to_contain_text('"folder": "build"')
    chat.page.reload()
    expect(card).to_contain_text('"folder": "build"')
    card.get_by_role("button", name="Approve", exact=True).click()
    chat.rests()
    chat.page.locator("details.tool > summary").click()
    expect(chat.page.locator("details.tool")).to_contain_text("removed build")


def test_a_denial_says_why_and_is_seen_in_the_other_tab(chat: Chat, pages: Callable[..., Page], server: Server) -> None:
    chat.say("ask me")
    expect(chat.page.get_by_role("region", name="Approval of wipe")).to_be_visible()
    other = Chat(pages(), server.url).open(f"/chat?thread={chat.session}")
    card = other.page.get_by_role("region", name="Approval of wipe")
    card.get_by_label("Reason, if denied").fill("not today")
    card.get_by_role("button", name="Deny").click()
    chat.rests()
    expect(chat.page.get_by_role("region", name="Approval of wipe")).to_have_count(0)
    expect(chat.page.locator("details.tool > summary")).to_contain_text("Denied")


def test_arguments_are_changed_only_where_the_tool_lets_people_change_them(chat: Chat) -> None:
    chat.say("ask me")
    card = chat.page.get_by_role("region", name="Approval of wipe")
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_visible()
    expect(card.get_by_role("button", name="Change arguments")).to_have_count(0)
    card.get_by_role("button", name="Deny").click()
    chat.rests()
    chat.say("rent one")
    card = chat.page.get_by_role("region", name="Approval of rent")
    card.get_by_role("button", name="Change arguments").click()
    card.get_by_label("Arguments").fill("big")
    card.get_by_role("button", name="Approve", exact=True).click()
    expect(card.get_by_role("alert")).to_contain_text("Expected a JSON object")
    card.get_by_label("Arguments").fill('{"car": "big"}')
    card.get_by_role("button", name="Approve", exact=True).click()
    chat.rests()
    chat.page.locator("details.tool > summary").last.click()
    expect(chat.page.locator("details.tool").last).to_contain_text("rented a big one")


def test_always_holds_for_the_tab_and_asks_no_more(chat: Chat) -> None:
    chat.say("ask me")
    chat.page.get_by_role("button", name="Always in this tab").click()
    chat.rests()
    chat.ask("ask me again")
    expect(chat.page.locator("details.tool > summary")).to_contain_text(["Done", "Done"])


def test_an_edited_message_is_another_branch_and_both_can_be_seen(chat: Chat) -> None:
    chat.ask("first")
    chat.ask("second")
    chat.sayings.last.get_by_role("button", name="Edit").click()
    chat.page.get_by_label("Edit message").fill("changed")
    chat.page.get_by_role("button", name="Send as a new branch").click()
    expect(chat.sayings.locator(".typed")).to_have_text(["first", "changed"])
    chat.rests()
    expect(chat.page.get_by_label("Version 2 of 2")).to_be_visible()
    chat.page.get_by_role("button", name="Previous version").click()
    expect(chat.sayings.locator(".typed")).to_have_text(["first", "second"])
    expect(chat.page.get_by_label("Version 1 of 2")).to_be_visible()


def test_the_first_message_can_be_edited_and_an_answer_made_again(chat: Chat) -> None:
    chat.ask("first")
    chat.sayings.get_by_role("button", name="Edit").click()
    chat.page.get_by_label("Edit message").fill("better")
    chat.page.get_by_role("button", name="Send as a new branch").click()
    expect(chat.sayings.locator(".typed")).to_have_text(["better"])
    chat.rests()
    chat.page.get_by_role("button", name="Regenerate").click()
    expect(chat.page.get_by_label("Version 3 of 3")).to_be_visible()
    expect(chat.answers).to_contain_text("better")


def test_conversations_are_listed_searched_renamed_and_deleted_with_undo(chat: Chat) -> None:
    chat.ask("apples and pears")
    listed = chat.page.get_by_role("navigation", name="Conversations").get_by_role("listitem")
    row = listed.filter(has_text="apples and pears").first
    expect(row).to_be_visible()
    row.get_by_role("button", name="Rename").click()
    chat.page.get_by_label("Title").fill("Fruit")
    chat.page.get_by_label("Title").press("Enter")
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("Fruit")
    search = chat.page.get_by_label("Search conversations")
    search.fill("apples")
    expect(listed.filter(has_text="Fruit")).to_have_count(1)
    search.fill("zebra")
    expect(listed).to_have_text(["Nothing found"])
    search.fill("")
    fruit = listed.filter(has_text="Fruit")
    fruit.hover()
    fruit.get_by_role("button", name="Delete").click()
    expect(fruit).to_have_count(0)
    chat.page.get_by_role("button", name="Undo").click()
    expect(fruit).to_have_count(1)


def test_the_list_goes_on_as_it_is_scrolled_and_marks_what_runs(chat: Chat) -> None:
    for number in range(25):
        made = json.loads(call(f"{chat.url}/sessions", {}))["id"]
        call(f"{chat.url}/sessions/{made}/messages", {"content": f"talk {number}"})
    chat.page.reload()
    listed = chat.page.get_by_role("navigation", name="Conversations").get_by_role("link")
    expect(listed.first).to_be_visible()
    listed.last.scroll_into_view_if_needed()
    expect(listed.filter(has_text=re.compile("^talk 0"))).to_have_count(1)
    chat.say("hold on")
    expect(chat.page.locator(".running")).to_have_count(1)
    chat.stop()
    chat.rests()


def test_an_answer_that_comes_late_does_not_undo_a_search(chat: Chat) -> None:
    chat.ask("apples and pears")
    listed = chat.page.get_by_role("navigation", name="Conversations").get_by_role("listitem")
    held: list[Route] = []
    chat.page.route("**/sessions", lambda route: held.append(route))  # half of what tells the list anew
    chat.ask("more of them")
    chat.page.get_by_label("Search conversations").fill("zebra")
    expect(listed).to_have_text(["Nothing found"])
    assert held
    for route in held:
        with chat.page.expect_response("**/sessions"):
            route.continue_()
    chat.page.evaluate(TWO_FRAMES)
    expect(listed).to_have_text(["Nothing found"])


def test_what_begins_while_the_list_is_being_loaded_is_marked_all_the_same(chat: Chat) -> None:
    held: list[Route] = []
    chat.page.route("**/threads?*", lambda route: held.append(route), times=1)
    chat.page.reload()
    chat.say("hold on")
    expect(chat.page.get_by_label("Answer, being written")).to_be_visible()
    assert held
    held[0].continue_()
    expect(chat.page.locator(".running")).to_have_count(1)
    chat.stop()
    chat.rests()


def test_each_conversation_has_its_address_its_draft_and_a_place_in_the_history(chat: Chat) -> None:
    chat.ask("one conversation")
    first = chat.page.url
    chat.box.fill("a draft")
    chat.page.get_by_role("button", name="New chat").click()
    expect(chat.box).to_have_value("")
    chat.ask("another conversation")
    assert chat.page.url != first
    chat.page.go_back()
    expect(chat.sayings.locator(".typed")).to_have_text(["one conversation"])
    assert chat.page.url == first
    expect(chat.box).to_have_value("a draft")
    chat.page.reload()
    expect(chat.box).to_have_value("a draft")
    expect(chat.sayings.locator(".typed")).to_have_text(["one conversation"])


def test_where_one_was_reading_is_found_again_after_a_reload(chat: Chat) -> None:
    chat.ask("long one")
    log = chat.page.get_by_role("log")
    log.evaluate("log => { log.scrollTop = 300 }")
    expect(chat.page.get_by_role("button", name="Jump to latest")).to_be_visible()
    chat.page.reload()
    expect(chat.page.get_by_role("button", name="Jump to latest")).to_be_visible()
    assert abs(log.evaluate("log => log.scrollTop") - 300) < 5


def test_what_a_script_says_in_the_same_session_appears(chat: Chat) -> None:
    chat.ask("mine")
    call(f"{chat.url}/sessions/{chat.session}/messages", {"content": "from a script"})
    expect(chat.sayings.locator(".typed")).to_have_text(["mine", "from a script"])
    expect(chat.answers.last).to_contain_text("from a script")


def test_what_comes_through_another_conduit_appears_with_its_origin(chat: Chat) -> None:
    chat.ask("mine")
    call(f"{chat.url}/sessions/{chat.session}/messages", {"content": "/elsewhere from far away"})
    expect(chat.sayings.last).to_contain_text("from far away")
    expect(chat.sayings.last.locator(".badge")).to_have_text("telegram")
    expect(chat.sayings.first.locator(".badge")).to_have_count(0)


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def test_a_picture_goes_with_a_message_and_is_shown_from_history(chat: Chat) -> None:
    files = chat.page.locator("input[type=file]")
    files.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL})
    chips = chat.page.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_contain_text(["dot.png"])
    chips.get_by_role("button", name="Remove dot.png").click()
    expect(chips).to_have_count(0)
    files.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL})
    chat.ask("look at it")
    expect(chat.sayings.get_by_alt_text("dot.png")).to_be_visible()
    chat.page.reload()
    expect(chat.sayings.get_by_alt_text("dot.png")).to_be_visible()


GIVEN = """([one, kind]) => {
  const all = new DataTransfer()
  all.items.add(new File(['some text'], `${kind}.txt`, {type: 'text/plain'}))
  const seen = {bubbles: true, composed: true, cancelable: true}
  one.dispatchEvent(kind === 'paste'
    ? new ClipboardEvent('paste', {clipboardData: all, ...seen}) : new DragEvent('drop', {dataTransfer: all, ...seen}))
}"""


def test_files_are_pasted_and_dropped(chat: Chat) -> None:
    for kind in ("paste", "drop"):
        chat.page.evaluate(GIVEN, [chat.box.element_handle(), kind])
    chips = chat.page.get_by_role("list", name="Attachments").get_by_role("listitem")
    expect(chips).to_contain_text(["paste.txt", "drop.txt"])
    chat.ask("both of them")
    expect(chat.sayings).to_contain_text("paste.txt")
    expect(chat.sayings).to_contain_text("drop.txt")


BIG = """input => {
  const all = new DataTransfer()
  all.items.add(new File([new Uint8Array(8_000_000)], 'big.txt', {type: 'text/plain'}))
  input.files = all.files
  input.dispatchEvent(new Event('change', {bubbles: true}))
}"""


def test_a_file_of_a_wrong_type_or_size_is_refused_before_it_is_sent(chat: Chat) -> None:
    files = chat.page.locator("input[type=file]")
    files.set_input_files({"name": "a.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"})
    expect(chat.page.get_by_role("alert")).to_contain_text("a.exe")
    files.evaluate(BIG)
    expect(chat.page.get_by_role("alert")).to_contain_text("too large")
    expect(chat.page.get_by_role("list", name="Attachments")).to_have_count(0)


def test_a_slash_opens_commands_that_the_keyboard_chooses(chat: Chat) -> None:
    chat.ask("something")
    chat.box.press_sequentially("/ren")
    expect(chat.page.get_by_role("option")).to_have_count(1)
    chat.box.press("Tab")
    chat.box.press_sequentially("By command")
    chat.box.press("Enter")
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("By command")
    chat.box.press_sequentially("/")
    chat.box.press("Escape")
    expect(chat.page.get_by_role("option")).to_have_count(0)
    chat.box.press_sequentially("/export")
    with chat.page.expect_download() as download:
        chat.box.press("Enter")
    assert "something" in download.value.path().read_text()


def test_the_model_and_how_much_it_thinks_are_chosen_for_the_conversation(chat: Chat) -> None:
    chat.ask("something")
    chat.box.fill("/thinking l")
    expect(chat.page.get_by_role("option")).to_have_text(["low"])
    chat.box.press("Enter")
    has_facts(chat, {"ore.model.thinking_level": "low"})
    chat.box.fill("/model ")
    expect(chat.page.get_by_role("option").filter(has_text="theatre:play")).to_be_visible()
    chat.box.press_sequentially("pl")
    expect(chat.page.get_by_role("option")).to_have_text(["theatre:play", "theatre:plain"])
    chat.box.press("ArrowDown")
    chat.box.press("Enter")
    has_facts(chat, {"ore.model.thinking_level": "low", "ore.model.name": "theatre:plain"})
    expect(chat.page.locator(".status")).to_contain_text("theatre:plain")
    chat.box.fill("/thinking default")
    expect(chat.page.get_by_role("option")).to_have_count(1)
    chat.box.press("Enter")
    has_facts(chat, {"ore.model.name": "theatre:plain"})


def test_what_is_chosen_before_the_first_message_holds_for_it(chat: Chat) -> None:
    chat.page.get_by_role("group", name="Agent").get_by_role("button", name="Other").click()
    expect(chat.box).to_have_attribute("aria-label", "Message to Other")
    chat.box.fill("/thinking high")
    expect(chat.page.get_by_role("option")).to_have_count(1)
    chat.box.press("Enter")
    expect(chat.box).to_have_value("")
    chat.ask("something")
    has_facts(chat, {"ore.agent": "Other", "ore.model.thinking_level": "high"})
    chat.page.reload()
    expect(chat.box).to_have_attribute("aria-label", "Message to Other")


def test_commands_of_the_server_are_in_the_palette_and_what_they_say_is_shown(chat: Chat) -> None:
    """Also as the first thing that is said in a conversation."""
    chat.box.fill("/gre")
    expect(chat.page.get_by_role("option")).to_have_text(["/greetgreets somebody"])
    chat.box.press("Enter")
    expect(chat.box).to_have_value("/greet ")
    chat.box.press_sequentially("Ada")
    chat.box.press("Enter")
    expect(chat.page.locator(".note")).to_have_text(["hello Ada"])
    chat.rests()
    chat.say("/gret Ada")
    expect(chat.page.locator(".note").last).to_contain_text("did you mean /greet?")
    expect(chat.sayings).to_have_count(0)


def has_facts(chat: Chat, expected: dict[str, str]) -> None:
    """Waits until the session has these facts, and no others but its title."""
    chat.page.wait_for_function(
        """([url, expected]) => fetch(url).then((one) => one.json()).then((all) => {
      delete all['ore.title']
      return JSON.stringify(Object.entries(all).sort()) === JSON.stringify(Object.entries(expected).sort())
    })""",
        arg=[f"{chat.url}/sessions/{chat.session}/metadata", expected],
    )


def test_it_says_which_model_how_far_and_what_it_took(chat: Chat) -> None:
    chat.ask("something")
    expect(chat.page.locator(".status")).to_contain_text("theatre:play · 15 tokens")
    expect(chat.answers.locator(".facts")).to_contain_text("15 tokens")
    chat.say("hold on")
    expect(chat.page.locator(".phase")).to_have_text("Writing")
    chat.stop()
    chat.rests()


def test_it_says_how_full_the_context_of_a_known_model_is(chat: Chat) -> None:
    known = {"models": [{"name": "theatre:play", "window_tokens": 150, "agents": ["Helper"]}]}
    chat.page.route("**/models?*", lambda route: route.fulfill(json=known))
    chat.page.reload()
    expect(chat.page.locator(".status")).to_contain_text("theatre:play")
    chat.ask("something")
    expect(chat.page.locator(".status")).to_contain_text("10 % of the context")


LABELS = """() => {
  const root = document.querySelector('ore-chat').shadowRoot
  window.labels = new Set()
  const look = () => { for (const one of root.querySelectorAll('.note button')) window.labels.add(one.textContent) }
  new MutationObserver(look).observe(root, {subtree: true, childList: true, characterData: true})
}"""


def test_an_error_says_its_cause_counts_down_and_can_be_tried_again(chat: Chat) -> None:
    chat.page.evaluate(LABELS)
    chat.say("fail now")
    note = chat.page.locator(".note.is-error")
    expect(note).to_contain_text("Too many requests for the model")
    expect(note.get_by_role("button", name="Retry", exact=True)).to_be_enabled()
    note.get_by_role("button", name="Retry", exact=True).click()
    expect(note).to_have_count(1)
    chat.rests()
    expect(chat.sayings.locator(".typed")).to_have_text(["fail now"])
    assert "Retry in 1 s" in chat.page.evaluate("[...window.labels]")
    chat.ask("something else")
    expect(note.get_by_role("button")).to_have_count(0)  # it would try that one again
