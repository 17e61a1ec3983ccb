"""Fragments fold into the same blocks, however they were cut and mixed."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Block,
    BlockEnd,
    Blocks,
    Delta,
    Notice,
    Reasoning,
    ReasoningDelta,
    Restart,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from strategies import deltas


def fold(parts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    blocks = Blocks("t", lambda _artifact, _block: None)
    for part in parts:
        blocks.add(part)
    return tuple(blocks.close())


def text(*pieces: str) -> list[Delta]:
    return [TextDelta(content=piece) for piece in pieces]


def thought(*pieces: str) -> list[Delta]:
    return [ReasoningDelta(content=piece) for piece in pieces]


def call(index: int, *pieces: str) -> list[Delta]:
    """A call's fragments: id and name in front, then its arguments in pieces."""
    return [
        ToolCallDelta(index=index, id=f"c{index}", name=f"n{index}"),
        *(ToolCallDelta(index=index, arguments=piece) for piece in pieces),
    ]


def complete(index: int, arguments: str) -> ToolCall:
    return ToolCall(id=f"c{index}", name=f"n{index}", arguments=arguments)


# ── What one block is ────────────────────────────────────────────────────────


@pytest.mark.requirement("C004")
@pytest.mark.parametrize(("pieces", "whole"), [(("hello",), "hello"), (("hello", " world"), "hello world")])
def test_text_fragments_make_their_text(pieces: tuple[str, ...], whole: str) -> None:
    assert TextDelta.assemble(text(*pieces)) == Text(content=whole)


@pytest.mark.requirement("C005")
@pytest.mark.parametrize(("pieces", "whole"), [(("think",), "think"), (("think", " deeply"), "think deeply")])
def test_reasoning_fragments_make_their_reasoning(pieces: tuple[str, ...], whole: str) -> None:
    assert ReasoningDelta.assemble(thought(*pieces)) == Reasoning(content=whole)


@pytest.mark.requirement("C006")
def test_one_call_fragment_makes_a_call_with_nothing_to_display() -> None:
    part = ToolCallDelta(index=0, id="1", name="search", arguments='{"q":1}')
    assert ToolCallDelta.assemble([part]) == ToolCall(id="1", name="search", arguments='{"q":1}', display=None)


@pytest.mark.requirement("C007")
@pytest.mark.parametrize("repeated", [("", ""), ("1", "search"), ("2", "calc")])
def test_a_call_keeps_its_first_id_and_name_and_joins_its_arguments(repeated: tuple[str, str]) -> None:
    """Some gateways repeat both with every fragment."""
    id, name = repeated
    parts = [
        ToolCallDelta(index=0, arguments="q"),
        ToolCallDelta(index=0, id="1", name="search"),
        ToolCallDelta(index=0, id=id, name=name, arguments="1"),
    ]
    assert ToolCallDelta.assemble(parts) == ToolCall(id="1", name="search", arguments="q1")


@pytest.mark.requirement("B04")
def test_two_fragments_of_one_position_are_one_call() -> None:
    assert fold(
        [
            ToolCallDelta(index=0, id="c", name="f"),
            ToolCallDelta(index=0, arguments='{"k"'),
            ToolCallDelta(index=0, arguments=":7}"),
        ]
    ) == (ToolCall(id="c", name="f", arguments='{"k":7}'),)


@pytest.mark.requirement("C003")
def test_fragments_name_their_block() -> None:
    parts: list[Delta] = [TextDelta(content=""), ReasoningDelta(content=""), ToolCallDelta(index=0)]
    assert [part.key for part in parts] == ["text", "reasoning", "tool_call:0"]
    assert ToolCallDelta(index=12).key == "tool_call:12"


@given(st.lists(deltas(), min_size=1))
def test_one_fragment_can_say_what_many_said(parts: list[Delta]) -> None:
    """For a reader that fell behind."""
    for kind in {(type(part), part.key) for part in parts}:
        alike = [part for part in parts if (type(part), part.key) == kind]
        one = kind[0].coalesce(alike)
        assert one is not None
        assert one.key == kind[1]
        assert kind[0].assemble([one]) == kind[0].assemble(alike)


# ── Which blocks there are ───────────────────────────────────────────────────


@pytest.mark.requirement("K2", "D-three-blocks", "D-blocks-close")
def test_text_reasoning_text_are_three_blocks_in_arrival_order() -> None:
    assert fold([*text("a", "b"), *thought("c"), *text("d")]) == (
        Text(content="ab"),
        Reasoning(content="c"),
        Text(content="d"),
    )


@pytest.mark.requirement("D-blocks-close")
def test_a_complete_artifact_between_fragments_closes_their_block() -> None:
    assert fold([*text("Hello", " "), Text(content="whole"), *text("world")]) == (
        Text(content="Hello "),
        Text(content="whole"),
        Text(content="world"),
    )


@pytest.mark.requirement("K2")
def test_calls_that_arrive_in_turns_stay_open_side_by_side() -> None:
    first, second = call(0, '{"a"', ":1}"), call(1, '{"b"', ":2}")
    mixed = [part for pair in zip(first, second, strict=True) for part in pair]
    assert fold(mixed) == (complete(0, '{"a":1}'), complete(1, '{"b":2}'))


@pytest.mark.requirement("B08")
@pytest.mark.parametrize("empty", [text(""), text("", ""), thought("")])
def test_empty_fragments_leave_no_block(empty: list[Delta]) -> None:
    assert fold([*empty, *call(0, "{}"), *empty]) == (complete(0, "{}"),)


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[Artifact], tuple[Artifact, ...]]:
    """A stream, cut and mixed anyhow, and the blocks that it must make."""
    stream: list[Artifact] = []
    blocks: list[Artifact] = []
    last, index = "", 0
    for what in draw(st.lists(st.sampled_from(["text", "thought", "calls", "stop"]), max_size=6)):
        if what == last:
            continue
        last = what
        if what == "text":
            pieces = draw(st.lists(st.text(max_size=3), min_size=1, max_size=4))
            stream += text(*pieces)
            blocks += [Text(content="".join(pieces))] if any(pieces) else []
        elif what == "thought":
            pieces = draw(st.lists(st.text(max_size=3), min_size=1, max_size=4))
            stream += thought(*pieces)
            blocks += [Reasoning(content="".join(pieces))] if any(pieces) else []
        elif what == "stop":
            stream.append(StopReason(reason="stop"))
            blocks.append(StopReason(reason="stop"))
        else:
            waiting = []
            for _ in range(draw(st.integers(1, 3))):
                pieces = draw(st.lists(st.text(max_size=3), max_size=4))
                waiting.append((call(index, *pieces), complete(index, "".join(pieces))))
                index += 1
            begun: list[int] = []
            while open := [place for place, (parts, _) in enumerate(waiting) if parts]:
                place = draw(st.sampled_from(open))
                if place not in begun:
                    begun.append(place)
                stream.append(waiting[place][0].pop(0))
            blocks += [waiting[place][1] for place in begun]
    return stream, tuple(blocks)


@pytest.mark.requirement("K2", "D-blocks-close")
@given(answers())
def test_however_a_stream_is_cut_and_mixed_its_blocks_are_the_same(
    answer: tuple[list[Artifact], tuple[Artifact, ...]],
) -> None:
    stream, blocks = answer
    assert fold(stream) == blocks


@given(answers())
def test_everything_is_published_once_and_fragments_before_what_they_make(
    answer: tuple[list[Artifact], tuple[Artifact, ...]],
) -> None:
    """A block has one id, and its complete artifact bears the id of its fragments."""
    stream, blocks = answer
    seen: list[tuple[Artifact, Block | None]] = []
    folding = Blocks("turn", lambda artifact, block: seen.append((artifact, block)))
    for part in stream:
        folding.add(part)
    folding.close()

    assert [artifact for artifact, _ in seen if isinstance(artifact, Delta)] == [
        part for part in stream if isinstance(part, Delta)
    ]
    assert sorted(map(repr, blocks)) == sorted(repr(artifact) for artifact, _ in seen if artifact.persistent)
    made = {block.id: artifact for artifact, block in seen if block and artifact.persistent}
    ids = list(dict.fromkeys(block.id for _, block in seen if block))
    assert ids == [f"turn:{number}" for number in range(1, len(ids) + 1)]
    for id in ids:
        parts = [artifact for artifact, block in seen if block and block.id == id and isinstance(artifact, Delta)]
        assert type(parts[0]).assemble(parts) == made.get(id)


def test_what_ends_a_block_leaves_its_vendor_data_there() -> None:
    signed = {"provider": "vendor", "model": "m", "signature": "s"}
    ended = BlockEnd(provider_data=signed)
    assert fold([*thought("a", "b"), ended, *thought("c"), *text("d"), ended, BlockEnd()]) == (
        Reasoning(content="ab", provider_data=signed),
        Reasoning(content="c"),
        Text(content="d", provider_data=signed),
    )


def test_a_block_can_end_before_another_of_its_family() -> None:
    assert fold([*text("a"), BlockEnd(), *text("b")]) == (Text(content="a"), Text(content="b"))


def test_of_calls_side_by_side_the_one_that_began_last_gets_the_vendor_data() -> None:
    parts = [*call(0, "{"), *call(1, "{}"), ToolCallDelta(index=0, arguments="}"), BlockEnd(provider_data={"x": 1})]
    assert fold(parts) == (complete(0, "{}"), ToolCall(id="c1", name="n1", arguments="{}", provider_data={"x": 1}))


def test_nobody_sees_the_end_of_a_block() -> None:
    seen: list[Artifact] = []
    blocks = Blocks("t", lambda artifact, _: seen.append(artifact))
    for part in (*text("a"), BlockEnd(provider_data={}), BlockEnd()):
        blocks.add(part)
    assert seen == [TextDelta(content="a"), Text(content="a", provider_data={})]


# ── What it costs ────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-assemble-once")
def test_a_block_is_assembled_once_from_all_its_fragments() -> None:
    joined: list[int] = []

    class Counted(TextDelta, frozen=True, kw_only=True, tag="counted"):
        @classmethod
        def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
            joined.append(len(parts))
            return super().assemble(parts)

    assert fold([Counted(content="x") for _ in range(1_000)]) == (Text(content="x" * 1_000),)
    assert joined == [1_000]


# ── Fragments without a rule ─────────────────────────────────────────────────


class Pulse(Delta, frozen=True, kw_only=True, tag="pulse"):
    """A fragment that says nothing of itself."""


@pytest.mark.requirement("L36", "N22")
def test_a_fragment_without_a_rule_is_seen_and_never_recorded() -> None:
    seen: list[Artifact] = []
    blocks = Blocks("t", lambda artifact, _: seen.append(artifact))
    for part in (*text("a"), Pulse(), Pulse(), *text("b")):
        blocks.add(part)
    assert blocks.close() == (Text(content="a"), Text(content="b"))
    assert seen.count(Pulse()) == 2


@pytest.mark.requirement("D-control-artifacts")
@pytest.mark.parametrize("control", [Notice(content="n"), Restart(attempt=2)])
def test_control_artifacts_are_seen_and_never_recorded(control: Artifact) -> None:
    seen: list[Artifact] = []
    blocks = Blocks("t", lambda artifact, _: seen.append(artifact))
    for part in (*text("a"), control, *text("b")):
        blocks.add(part)
    assert blocks.close() == (Text(content="a"), Text(content="b"))
    assert control in seen


# ── Endings ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-half-calls")
def test_an_interrupted_answer_keeps_its_text_and_complete_calls_but_no_half_call() -> None:
    blocks = Blocks("t", lambda _artifact, _block: None)
    for part in (*text("let me"), *call(0, "{}"), *thought("hm"), *call(1, '{"a"')):
        blocks.add(part)
    assert blocks.cut() == (Text(content="let me"), complete(0, "{}"), Reasoning(content="hm"))


@pytest.mark.requirement("D-half-calls")
@pytest.mark.parametrize(("part", "kept"), [(text("par"), Text(content="par")), (thought("h"), Reasoning(content="h"))])
def test_an_interrupted_answer_keeps_the_text_that_was_under_way(part: list[Delta], kept: Artifact) -> None:
    blocks = Blocks("t", lambda _artifact, _block: None)
    for delta in part:
        blocks.add(delta)
    assert blocks.cut() == (kept,)


@pytest.mark.requirement("D-restart-drops-all")
def test_a_restart_forgets_closed_blocks_too() -> None:
    seen: list[Block] = []
    blocks = Blocks("t", lambda _, block: seen.append(block) if block else None)
    for part in (*thought("hm"), *text("Hello "), *call(0, "{")):
        blocks.add(part)
    blocks.restart()
    assert all(block.closed for block in seen)
    blocks.add(TextDelta(content="Hello world"))
    blocks.add(Usage(total_tokens=3))
    assert blocks.close() == (Text(content="Hello world"), Usage(total_tokens=3))
    assert len({block.id for block in seen}) == 4


def test_closing_again_adds_nothing() -> None:
    blocks = Blocks("t", lambda _artifact, _block: None)
    blocks.add(TextDelta(content="a"))
    assert blocks.close() == blocks.close() == (Text(content="a"),)


def test_a_complete_artifact_is_finished_before_anyone_sees_it() -> None:
    seen: list[Artifact] = []

    def show(artifact: Artifact) -> Artifact:
        if isinstance(artifact, ToolCall):
            return ToolCall(id=artifact.id, name=artifact.name, arguments=artifact.arguments, display="shown")
        return artifact

    blocks = Blocks("t", lambda artifact, _: seen.append(artifact), finish=show)
    for part in (*call(0, "{}"), ToolCall(id="c1", name="n1", arguments="{}")):
        blocks.add(part)
    expected = tuple(ToolCall(id=f"c{n}", name=f"n{n}", arguments="{}", display="shown") for n in (0, 1))
    assert blocks.close() == expected
    assert tuple(artifact for artifact in seen if isinstance(artifact, ToolCall)) == expected


def test_what_a_block_makes_so_far_can_be_read_while_it_grows() -> None:
    seen: list[Block] = []
    blocks = Blocks("t", lambda _, block: seen.append(block) if block else None)
    for part in text("Hel", "lo"):
        blocks.add(part)
    assert (seen[0].so_far, seen[0].closed) == (Text(content="Hello"), False)
    assert Block("b", "text", TextDelta).so_far is None


@given(st.lists(st.lists(deltas() | st.just(StopReason(reason="stop")), max_size=8), max_size=6))
def test_fragments_that_arrive_together_are_told_and_fold_as_if_one_after_the_other(
    batches: list[list[Artifact]],
) -> None:
    def told(together: bool) -> tuple[list[tuple[str, Artifact]], tuple[Artifact, ...]]:
        seen: list[tuple[str, Artifact]] = []

        def publish(artifact: Artifact, block: Block | None) -> None:
            seen.append((block.id if block else "", artifact))

        def publish_run(run: Sequence[Delta], block: Block) -> None:
            assert len(run) > 1
            for fragment in run:
                publish(fragment, block)

        blocks = Blocks("t", publish, publish_run=publish_run)
        for batch in batches:
            place = 0
            while place < len(batch):
                taken = blocks.add_run(batch, place) if together else 0
                if not taken:
                    blocks.add(batch[place])
                place += taken or 1
        return seen, tuple(blocks.close())

    assert told(together=True) == told(together=False)
