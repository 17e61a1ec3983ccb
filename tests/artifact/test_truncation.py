"""Long output is cut at whole lines or characters, and says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Cut, Truncation, TruncationStyle, count_lines, footer, truncate

HEAD, TAIL = TruncationStyle.HEAD, TruncationStyle.TAIL

lines = st.lists(st.text(st.sampled_from("aé北\U0001f600"), max_size=6), max_size=8).map("\n".join)
limits = st.integers(1, 30)


@pytest.mark.requirement("C026")
@pytest.mark.parametrize(
    ("facts", "truncated"),
    [
        (Truncation(), False),
        (Truncation(shown_bytes=5, original_bytes=5), False),
        (Truncation(shown_bytes=5, original_bytes=6), True),
    ],
)
def test_a_text_is_truncated_when_a_byte_is_missing(facts: Truncation, truncated: bool) -> None:
    assert facts.truncated is truncated


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("\n\n", 2)])
def test_lines_are_counted_as_an_editor_shows_them(text: str, count: int) -> None:
    assert count_lines(text) == count


@pytest.mark.requirement("D-cut-limits")
def test_the_limits_are_50_000_bytes_and_2_000_lines() -> None:
    assert truncate("x" * 50_000, Cut()) == ("x" * 50_000, None)
    assert truncate("x\n" * 2_000, Cut()) == ("x\n" * 2_000, None)
    wide, long = truncate("x" * 50_001, Cut())[1], truncate("x\n" * 2_001, Cut())[1]
    assert wide is not None
    assert long is not None
    assert (wide.shown_bytes, wide.style) == (50_000, TAIL)
    assert (long.shown_lines, long.style) == (2_000, TAIL)


@pytest.mark.requirement("D-cut-limits")
@pytest.mark.parametrize("given_limit", [0, -1])
def test_a_limit_that_is_not_positive_is_the_default(given_limit: int) -> None:
    assert truncate("x" * 50_001, Cut(max_bytes=given_limit, max_lines=given_limit)) == truncate("x" * 50_001, Cut())
    assert truncate("x\n" * 2_001, Cut(max_lines=given_limit)) == truncate("x\n" * 2_001, Cut())


@pytest.mark.parametrize(
    ("text", "cut", "kept"),
    [
        ("a\nb\nc", Cut(max_lines=2, style=HEAD), "a\nb"),
        ("a\nb\nc", Cut(max_lines=2), "b\nc"),
        ("a\nb\nc\n", Cut(max_lines=2, style=HEAD), "a\nb\n"),
        ("a\nb\nc\n", Cut(max_lines=2), "b\nc\n"),
        ("aaaa\nbbbb\ncccc", Cut(max_bytes=10, style=HEAD), "aaaa\nbbbb\n"),
        ("aaaa\nbbbb\ncccc", Cut(max_bytes=11, style=HEAD), "aaaa\nbbbb\n"),
        ("aaaa\nbbbb\ncccc", Cut(max_bytes=9), "bbbb\ncccc"),
        ("aaaa\nbbbb\ncccc", Cut(max_bytes=11), "bbbb\ncccc"),
        ("éééé", Cut(max_bytes=5, style=HEAD), "éé"),
        ("éééé", Cut(max_bytes=5), "éé"),
        ("\U0001f600", Cut(max_bytes=3), ""),
    ],
)
def test_a_head_ends_and_a_tail_begins_at_a_line_where_it_can(text: str, cut: Cut, kept: str) -> None:
    shown, facts = truncate(text, cut)
    assert facts is not None
    assert (shown, facts.shown_bytes, facts.shown_lines) == (kept, len(kept.encode()), count_lines(kept))


@pytest.mark.parametrize(
    ("text", "cut", "kept"),
    [
        ("x" * 100 + "\ndone", Cut(max_bytes=50), "x" * 45 + "\ndone"),
        ("x" * 100 + "\n", Cut(max_bytes=50), "x" * 49 + "\n"),
        ("begin\n" + "x" * 100, Cut(max_bytes=50, style=HEAD), "begin\n" + "x" * 44),
        ("\n" + "x" * 100, Cut(max_bytes=50, style=HEAD), "\n" + "x" * 49),
    ],
)
def test_a_line_longer_than_the_limit_is_cut_inside_rather_than_left_out(text: str, cut: Cut, kept: str) -> None:
    """A short last line must not cost all that a long one said."""
    assert truncate(text, cut)[0] == kept


@given(lines, limits, limits, st.sampled_from([HEAD, TAIL]))
def test_limits_hold_and_no_character_is_split(
    text: str, max_bytes: int, max_lines: int, style: TruncationStyle
) -> None:
    kept, facts = truncate(text, Cut(max_bytes=max_bytes, max_lines=max_lines, style=style))
    assert len(kept.encode()) <= max_bytes
    assert count_lines(kept) <= max_lines
    assert text.startswith(kept) if style is HEAD else text.endswith(kept)
    if facts is None:
        assert kept == text
        return
    assert kept != text
    assert facts == Truncation(
        shown_bytes=len(kept.encode()),
        shown_lines=count_lines(kept),
        original_bytes=len(text.encode()),
        original_lines=count_lines(text),
        style=style,
    )
    assert facts.truncated


@given(lines, limits, st.sampled_from([HEAD, TAIL]))
def test_a_line_is_cut_inside_only_when_it_is_longer_than_the_limit(
    text: str, max_bytes: int, style: TruncationStyle
) -> None:
    kept, facts = truncate(text, Cut(max_bytes=max_bytes, style=style))
    if facts is None:
        return
    if style is HEAD:
        begun = text[len(kept) :].split("\n")[0]
        cut = kept.split("\n")[-1] + begun
        assert kept == "" or kept.endswith("\n") or begun == "" or len(cut.encode()) > max_bytes
    else:
        before = text[: len(text) - len(kept)]
        cut = before.split("\n")[-1] + kept.split("\n")[0] + "\n"
        assert kept == "" or before.endswith("\n") or len(cut.encode()) > max_bytes


@given(st.text(st.sampled_from("a\né\ud800"), max_size=40), limits, limits, st.sampled_from([HEAD, TAIL]))
def test_cutting_never_fails_on_strings_that_are_no_text(
    text: str, max_bytes: int, max_lines: int, style: TruncationStyle
) -> None:
    truncate(text, Cut(max_bytes=max_bytes, max_lines=max_lines, style=style))


@pytest.mark.requirement("K22", "D-cut-hint")
def test_a_hint_is_filled_in_and_an_unknown_placeholder_stays() -> None:
    hint = "{shown_lines}/{original_lines} lines, {shown_bytes}/{original_bytes} bytes, {style}, {next_offset}, {what}"
    facts = truncate("a\nb\nc\n", Cut(max_lines=2, style=HEAD, hint=hint))[1]
    assert facts is not None
    assert facts.recovery_hint == "2/3 lines, 4/6 bytes, head, 3, {what}"


@pytest.mark.requirement("K22", "D-cut-hint")
@pytest.mark.parametrize(("hint", "first"), [(None, ""), ("read from line {next_offset}", "read from line 3\n")])
def test_a_cut_is_told_with_and_without_a_hint(hint: str | None, first: str) -> None:
    facts = truncate("a\nb\nc\n", Cut(max_lines=2, style=HEAD, hint=hint))[1]
    assert facts is not None
    assert footer(facts) == f"\n\n{first}[output cut: 2 of 3 lines, 4 of 6 bytes shown, head]"
