"""What is written is shown as what it is: Markdown in pieces, control characters, calls, figures."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.strip import Strip

from ore.artifact import Text, ToolResult
from ore.event import Snapshot
from ore.ext.conduits.terminal.bars import unseen_text
from ore.ext.conduits.terminal.call_text import arguments_text, change_of, gist, readable
from ore.ext.conduits.terminal.cells import Call, Cell, Kind
from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.figures import age, compact, digest, seconds, size
from ore.ext.conduits.terminal.inert import harmless
from ore.ext.conduits.terminal.markdown import Drawer, StreamedMarkdown, plain_lines
from ore.ext.conduits.terminal.painting import Painter
from ore.ext.conduits.terminal.palette import DARK, PLAIN
from ore.ext.transforms.compaction import Boundary, Strategy
from ore.ledger import Role, Turn

DOCUMENT = """\
# Title

Some *text* with `code`, a [link](http://example.org) and a line
that goes on.

- one
- two
  - three

1. first
2. second

> quoted
> twice

```python
def f(x):
    return "漢字" + x
```

| name | count |
|------|-------|
| a    | 1     |

<div>kept</div>

***

The end.
"""

PIECES = st.lists(
    st.sampled_from(
        [
            "a ",
            "word\n",
            "\n",
            "- item\n",
            "* ",
            "1. ",
            "```\n",
            "```py\n",
            "> q\n",
            "# H\n",
            "| a | b |\n",
            "|---|---|\n",
            "    code\n",
            "  ",
            "**b**",
            "漢",
            "\x1b[2J",
            "42.",
            "---\n",
            "\t",
            "[l](u)",
            "`",
        ]
    ),
    max_size=30,
)


def drawn(text: str, width: int = 40) -> list[str]:
    return [strip.text.rstrip() for strip in StreamedMarkdown(Drawer(), width).lines(text)[0]]


def streamed(pieces: list[str], width: int = 40) -> list[str]:
    markdown, text = StreamedMarkdown(Drawer(), width), ""
    lines: list[Strip] = []
    for piece in pieces:
        text += piece
        lines, _ = markdown.lines(text)
    return [strip.text.rstrip() for strip in lines]


def painted(cell: Cell, width: int = 60, *, unfolded: int = 0) -> list[str]:
    painter = Painter(PLAIN)
    lines = painter.lines(cell, width, unfolded=unfolded, streamed=painter.streamed(width))
    assert all(line.cell_length <= width for line in lines)
    return [line.text.rstrip() for line in lines]


@pytest.mark.parametrize("step", [1, 3, 7, 100])
def test_a_document_in_pieces_ends_as_it_would_have_been_drawn_at_once(step: int) -> None:
    """Behaviour 10."""
    pieces = [DOCUMENT[at : at + step] for at in range(0, len(DOCUMENT), step)]
    assert streamed(pieces) == drawn(DOCUMENT)


@settings(deadline=None, max_examples=60)
@given(PIECES)
def test_whatever_is_streamed_no_line_is_wider_than_the_screen(pieces: list[str]) -> None:
    """Behaviour 23."""
    for width in (8, 30):
        painter = Painter(DARK)
        lines = painter.lines(
            Cell("k", Kind.TEXT, "".join(pieces)), width, unfolded=0, streamed=painter.streamed(width)
        )
        assert all(line.cell_length <= width for line in lines)
        assert not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for line in lines for letter in line.text)


def test_only_the_last_block_of_a_stream_is_drawn_again() -> None:
    """Behaviour 10."""
    markdown = StreamedMarkdown(Drawer(), 60)
    text, paragraphs = "", 60
    for number in range(paragraphs):
        text += f"This is paragraph {number} of the answer.\n\n"
        lines, _ = markdown.lines(text)
    before = list(lines)
    after, kept = markdown.lines(text + "And more")
    assert kept >= 2 * (paragraphs - 2)
    assert all(one is other for one, other in zip(before[:kept], after[:kept], strict=True))
    assert markdown.drawn_characters < 5 * len(text)


def test_a_long_open_fence_is_not_drawn_from_its_beginning_each_time() -> None:
    """Behaviour 10."""
    markdown, text = StreamedMarkdown(Drawer(), 60), "```python\n"
    for number in range(200):
        text += f"x{number} = {number}\n"
        lines, _ = markdown.lines(text)
    assert markdown.drawn_characters < 20 * len(text)
    assert [strip.text.strip("▏ ") for strip in lines] == [f"x{number} = {number}" for number in range(200)]


def test_what_is_half_open_is_readable() -> None:
    """Behaviour 10."""
    assert drawn("```py\nprint(1)") == ["▏ print(1)"]
    assert drawn("| a | b |\n|---|---|\n| 1 |")[0].split() == ["a", "b"]
    assert drawn("42.") == ["42."]
    assert drawn("<b>kept</b>") == ["<b>kept</b>"]


@pytest.mark.requirement("B97")
@pytest.mark.parametrize(
    "text", ["before\x1b[2J\x1b[Hafter", "a\rb", "ring\x07", "\x9b31m", "\x1b]0;title\x07", "nul\0", "b\bs", "\x7f"]
)
def test_control_characters_do_nothing(text: str) -> None:
    """Behaviour 24."""
    call = Cell("c", Kind.CALL)
    call.call = Call(name=text, arguments=text, result=ToolResult(tool_call_id="1", content=text))
    cells = [Cell("t", Kind.TEXT, text), Cell("n", Kind.NOTICE, text), Cell("e", Kind.ERROR, text), call]
    for cell in cells:
        for unfolded in (0, 1):
            for line in painted(cell, unfolded=unfolded):
                assert not any(ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 for letter in line)


def test_direction_marks_are_shown_and_letters_of_either_direction_stay() -> None:
    """Behaviour 23."""
    assert harmless("a\u202eb") == "a\ufffdb"
    assert harmless("שלום עולם") == "שלום עולם"


@pytest.mark.parametrize("text", ["漢字" * 30, "👩‍👩‍👧‍👦" * 20, "e\u0301" * 90, "x" * 22_000, "שלום " * 40])
def test_wide_and_joined_characters_fold_within_the_width(text: str) -> None:
    """Behaviour 23."""
    lines = plain_lines(text, 20)
    assert all(line.cell_length <= 20 for line in lines)
    assert "".join(line.text for line in lines).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((0, "0"), (999, "999"), (1_000, "1K"), (1_234, "1.2K"), (12_345, "12.3K"), (123_456, "123K")),
        *((999_999, "999K"), (1_234_567, "1.2M"), (12_345_678, "12.3M"), (123_456_789, "123M")),
        *((1_000_000_000, "1B"), ("many", "many"), ("1500", "1.5K")),
    ],
)
def test_counts_are_short(value: int | str, shown: str) -> None:
    assert compact(value) == shown


def test_sizes_times_and_ages_are_short() -> None:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert [size(12), size(1_536)] == ["12 B", "1.5K B"]
    assert [seconds(0.12), seconds(12.3), seconds(200)] == ["0.1 s", "12 s", "3 min 20 s"]
    ages = [timedelta(0), timedelta(minutes=5), timedelta(hours=3), timedelta(days=40)]
    assert [age(now - one, now) for one in ages] == ["now", "5 min", "3 h", "40 d"]
    assert age(None) == ""


def test_calls_are_told_apart_by_four_digits() -> None:
    """The first digits of FNV-1a with 32 bits, whose values for these texts its authors publish."""
    assert [digest(""), digest("a"), digest("foobar")] == ["811c", "e40c", "bf9c"]


def test_a_call_is_one_line_with_sorted_arguments() -> None:
    """Behaviour 12."""
    arguments = '{"n": 42.0, "k": "v", "obj": {"a": 1}, "arr": [1], "no": null, "text": "two\\nlines"}'
    assert gist(Call(name="f", arguments=arguments)) == (
        'f · arr=[…] · k="v" · n=42 · no=null · obj={…} · text="two ⏎ lines"'
    )
    assert gist(Call(name="f", arguments="{broken")) == "f · {broken"
    assert gist(Call(name="f", arguments="{}", display="as people read it")) == "f · as people read it"


def test_an_edit_is_shown_as_its_change() -> None:
    """Behaviour 12."""
    call = Call(name="edit_file", arguments='{"path": "a.py", "old": "one\\ntwo", "new": "one\\n2"}')
    assert change_of(call)[1:] == [" one", "-two", "+2"]
    assert arguments_text(call) == '{\n  "path": "a.py"\n}'


def test_a_result_is_folded_to_three_lines_and_a_giant_one_says_how_much_more_there_is() -> None:
    """Behaviour 13."""
    cell = Cell("c", Kind.CALL)
    content = "\n".join(f"row {number}" for number in range(1_000))
    cell.call = Call(name="bash", id="c1", arguments="{}", result=ToolResult(tool_call_id="c1", content=content))
    assert painted(cell) == [
        "✓ bash",
        "  row 0",
        "  row 1",
        "  row 2",
        "  … 997 more lines (click, or Ctrl+O)",
    ]
    whole = painted(cell, unfolded=1)
    assert f"  Tool Result ({digest('c1')})" in whole
    assert whole[-1] == "  … 800 more lines (click, or Ctrl+O)"
    assert painted(cell, unfolded=2)[-1] == "  row 999"


@pytest.mark.parametrize(
    ("width", "line"),
    [(40, "12:00:00 Assistant                 1.5K B"), (24, "12:00:00 Assistant"), (14, "12:00:00 Assi…")],
)
def test_where_it_is_narrow_the_size_goes_first_then_the_title_is_cut(width: int, line: str) -> None:
    cell = Cell("t", Kind.TEXT, "x" * 1_536, at=datetime(2026, 12, 1, 12).astimezone())
    head = painted(cell, width)[0]
    assert head.split() == line.split() and cell_len(head) <= width


def test_a_compaction_is_one_line_where_it_was_done_and_says_more_when_unfolded() -> None:
    """Behaviour 19."""
    boundary = Boundary(
        strategy=Strategy.SUMMARIZE,
        dropped_turn_count=12,
        dropped_token_estimate=3_400,
        model="scripted",
        created_at=datetime(2026, 12, 1, 12, tzinfo=UTC),
    )
    turns = [
        Turn(id="t1", role=Role.USER, artifacts=(Text(content="before"),)),
        Turn(id="t2", role=Role.SYSTEM, artifacts=(Text(content="## Goal\nLisbon."), boundary)),
        Turn(id="t3", role=Role.USER, artifacts=(Text(content="after"),)),
    ]
    view = Conversation()
    view.load(Snapshot(id="1-1", turns=turns))
    assert [cell.kind for cell in view.cells] == [Kind.USER, Kind.COMPACTION, Kind.USER]
    (line,) = painted(view.cells[1])
    assert line.startswith("── compacted 12 turns (~3,400 tokens saved) ──")
    whole = painted(view.cells[1], 100, unfolded=1)
    assert "summarize · scripted · 2026-12-01" in whole[0] and "Lisbon." in "\n".join(whole)


def test_a_full_context_offers_to_make_room() -> None:
    """Behaviour 19."""
    cell = Cell("e", Kind.ERROR, "the prompt is too long")
    cell.mark = "context_overflow"
    assert painted(cell) == ["✕ context_overflow: the prompt is too long", "  /compact makes room for it."]


def test_what_happens_inside_a_call_is_seen_while_it_runs_its_last_lines_only() -> None:
    """Behaviour 13."""
    cell = Cell("c", Kind.CALL)
    inside = Cell("i", Kind.TEXT, "\n".join(f"line {number}" for number in range(50)))
    agent = Cell("j", Kind.CALL)
    agent.call = Call(name="search", arguments='{"for": "trains"}', is_active=True)
    cell.call = Call(name="helper", arguments="{}", children=[inside, agent], is_active=True, description="at work")
    lines = painted(cell)
    assert lines[0].startswith("● helper") and "at work" in lines[0]
    assert lines[1:] == ["  line 46", "  line 47", "  line 48", "  line 49", '  ● search · for="trains"']


def test_what_a_tool_says_of_its_call_keeps_its_lines_apart_and_leaves_blocks_out() -> None:
    """Behaviour 12."""
    assert gist(Call(name="bash", display="$ rm -rf build\nmake")) == "bash · $ rm -rf build ⏎ make"
    assert gist(Call(name="edit_file", display="edit a.py\n```diff\n-a\n+b\n```")) == "edit_file · edit a.py"


def test_what_would_run_is_read_line_by_line() -> None:
    """Behaviour 15."""
    arguments = json.dumps({"command": "rm -rf a\n\tmake\x1b[2J", "wait": True})
    assert readable(Call(name="bash", arguments=arguments)) == [
        *("{", '  "wait": true', "}"),
        *("command:", "│ rm -rf a", "│     make␛[2J"),
    ]
    assert readable(Call(name="f", arguments="no\njson")) == ["no", "json"]
    edit = json.dumps({"path": "a.py", "old": "one\ntwo", "new": "one\n2"})
    assert readable(Call(name="edit", arguments=edit))[3:] == ["@@ -1,2 +1,2 @@", " one", "-two", "+2"]


def test_an_error_is_said_once() -> None:
    """Behaviour 12."""
    cell = Cell("c", Kind.CALL)
    cell.call = Call(name="f", arguments="{}")
    for content, told in (
        ('{"error":"division by zero"}\n\n**Error:** division by zero', ["  division by zero"]),
        ("half of it\n\n**Error:** broken", ["  half of it", "", "  **Error:** broken"]),
    ):
        cell.call.result = ToolResult(tool_call_id="c1", content=content, is_error=True)
        assert [line.rstrip() for line in painted(cell)[1:]] == told


def test_one_line_is_no_lines() -> None:
    """Behaviour 11."""
    texts = [unseen_text(unseen, following=False) for unseen in (1, 2, 0)]
    assert [text.plain.partition(" ·")[0] for text in texts if text] == [
        *("↓ 1 new line", "↓ 2 new lines", "↓ not at the end"),
    ]
