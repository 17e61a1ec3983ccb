"""Wherever a conversation is cut, every vendor takes what is left of it, and what is summed up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counted import CountedTurns
from ore.artifact import Text
from ore.errors import ContextOverflowError
from ore.ext.transforms.compaction import boundary_of, compact, last_boundary
from ore.ext.transforms.compaction.cutting import last_unit, nearest_cut, next_cut, safe_cuts
from ore.ext.transforms.compaction.showing import visible
from ore.ledger import Role, Thread, Turn, parted
from ore.testing import ScriptedProvider
from transforms.histories import call, check_vendors, conversation, result, says, texts
from transforms.sessions import session, shown

COUNT = len(conversation().turns)


@pytest.mark.requirement("B19", "B25", "D-compaction-cuts")
@pytest.mark.parametrize("keep", range(COUNT + 2))
async def test_whatever_is_kept_every_vendor_takes_it_and_what_is_summed_up(keep: int) -> None:
    provider = ScriptedProvider([Text(content="a summary")], repeat=True)
    async with await session(conversation(), provider) as stream:
        before = list(stream.turns)
        done = await compact(stream, keep_turns=keep)
        assert (done is None) == (keep >= COUNT)
        check_vendors([*shown(stream), Turn(id="next", role=Role.USER, artifacts=says("and now?"))])
        for asked in provider.invocations:
            check_vendors(asked.turns)
        if done is not None:
            again = await compact(stream, keep_turns=max(keep - 3, 0))
            assert again is None or again.dropped_turn_count >= done.dropped_turn_count
            check_vendors([*shown(stream), Turn(id="next", role=Role.USER, artifacts=says("and now?"))])
        assert [turn for turn in stream.turns if boundary_of(turn) is None] == before


@pytest.mark.requirement("B19")
@pytest.mark.parametrize(("keep", "kept"), [(2, ["done"]), (3, ["→A →B", "←A", "←B", "done"]), (4, None)])
async def test_a_cut_inside_a_batch_moves_to_the_nearest_place_where_nothing_is_parted(
    keep: int, kept: list[str] | None
) -> None:
    thread = Thread()
    thread.add(Role.USER, *says("go"))
    thread.add(Role.ASSISTANT, call("A"), call("B"))
    thread.add(Role.TOOL, result("A"))
    thread.add(Role.TOOL, result("B"))
    thread.add(Role.ASSISTANT, *says("done"))
    provider = ScriptedProvider([Text(content="a summary")])
    async with await session(thread, provider) as stream:
        await compact(stream, keep_turns=keep)
        assert texts(shown(stream))[1:] == (kept or ["→A →B", "←A", "←B", "done"])


@pytest.mark.requirement("B22")
@pytest.mark.parametrize("window", range(600, 1_400, 100))
async def test_what_does_not_fit_one_request_is_summed_up_in_several_that_part_nothing(window: int) -> None:
    provider = ScriptedProvider([Text(content="so far")], repeat=True)
    async with await session(conversation(6, long=300), provider, window=window, summary_tokens=60) as stream:
        done = await compact(stream)
    assert done is not None
    assert len(provider.invocations) > 1
    for asked in provider.invocations:
        check_vendors(asked.turns)
    assert all("so far" in texts(asked.turns)[0] for asked in provider.invocations[1:])


@pytest.mark.requirement("B22")
async def test_a_request_for_a_summary_that_is_too_long_is_made_once_more_and_shorter() -> None:
    provider = ScriptedProvider([ContextOverflowError("too long")], *[[Text(content="so far")]] * 4)
    async with await session(conversation(6, long=300), provider) as stream:
        assert await compact(stream) is not None
    first, *others = provider.invocations
    assert len(others) > 1
    for asked in provider.invocations:
        check_vendors(asked.turns)
    assert max(len(asked.turns) for asked in others) < len(first.turns)


@pytest.mark.requirement("B22")
async def test_a_request_that_is_too_long_twice_changes_nothing() -> None:
    provider = ScriptedProvider([ContextOverflowError("too long")], [ContextOverflowError("still too long")])
    async with await session(conversation(6, long=300), provider) as stream:
        before = list(stream.turns)
        with pytest.raises(ContextOverflowError, match="still too long"):
            await compact(stream)
        assert stream.turns == before
        assert shown(stream) == before


TURNS = st.lists(st.sampled_from(["u", "a", "s", "aa", "aab", "t"]), max_size=14)


@given(TURNS)
def test_no_cut_that_counts_as_safe_parts_a_call_from_its_result(words: list[str]) -> None:
    thread = path_of(words)
    turns = list(thread.turns)
    cuts = safe_cuts(turns)
    assert all(not parted(turns[:cut]) and not parted(turns[cut:]) for cut in cuts)
    for wanted in range(len(turns) + 2):
        assert nearest_cut(turns, wanted) in (cuts or [0])
        assert next_cut(turns, wanted) in (cuts or [0])
    assert last_unit(turns) in (cuts or [0])


def path_of(words: list[str]) -> Thread:
    """A conversation that a ledger may hold: calls with their results behind them, whatever stands between."""
    thread = Thread()
    waiting: list[str] = []
    for place, word in enumerate(words):
        if word[0] in "ua" and waiting:
            thread.add(Role.TOOL, *[result(id) for id in waiting])
            waiting = []
        if word == "s":
            thread.add(Role.SYSTEM, *says("note"))
        elif word == "t":
            if waiting:
                thread.add(Role.TOOL, result(waiting.pop(0)))
        elif word == "u":
            thread.add(Role.USER, *says("hi"))
        else:
            waiting = [f"{place}.{n}" for n in range(len(word) - 1)]
            thread.add(Role.ASSISTANT, *says("ok"), *[call(id) for id in waiting])
    return thread


async def test_what_is_hidden_costs_nothing_however_much_it_is() -> None:
    """Else a conversation without an end would get slower with each message."""
    provider = ScriptedProvider([Text(content="a summary")], repeat=True)
    looked = []
    for rounds in (10, 40):
        async with await session(conversation(rounds), provider) as stream:
            assert await compact(stream, keep_turns=3)
            path = CountedTurns(stream.turns)
            left = visible(path)
            assert texts(left)[-1] == f"answer {rounds - 1}"
            looked.append((path.given, len(left)))
    assert looked[0] == looked[1]


def test_a_boundary_is_in_force_only_while_what_it_hides_is_on_the_path() -> None:
    assert last_boundary(conversation().turns) is None
