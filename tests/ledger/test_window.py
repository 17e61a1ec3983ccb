"""Windows and chains read like lists, and never change."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.ledger import Chained, Window

items = st.lists(st.integers(0, 5), max_size=8)
bounds = st.none() | st.integers(-12, 12)
steps = st.none() | st.integers(-3, 3).filter(bool)


def same_as_list(made: Sequence[int], plain: list[int], at: int, cut: slice) -> None:
    """Every way of reading it."""
    assert (list(made), len(made), bool(made)) == (plain, len(plain), bool(plain))
    assert (list(reversed(made)), repr(made)) == (plain[::-1], repr(plain))
    assert list(made[cut]) == plain[cut]
    assert (made == plain, plain == made, made == [*plain, 9], made == plain[:-1]) == (True, True, False, not plain)
    assert [value in made for value in range(7)] == [value in plain for value in range(7)]
    assert [made.count(value) for value in range(7)] == [plain.count(value) for value in range(7)]
    if -len(plain) <= at < len(plain):
        assert made[at] == plain[at]
        assert made.index(plain[at]) == plain.index(plain[at])
    else:
        with pytest.raises(IndexError):
            made[at]


@pytest.mark.requirement("D-window")
@given(items, items, st.integers(-12, 12), st.builds(slice, bounds, bounds, steps))
def test_a_window_reads_like_the_list_it_was(first: list[int], later: list[int], at: int, cut: slice) -> None:
    """However much is appended afterwards."""
    growing = list(first)
    window = Window(growing)
    growing += later
    same_as_list(window, first, at, cut)
    same_as_list(Window(growing, len(first)), first, at, cut)


@given(items, items, items, st.integers(-20, 20), st.builds(slice, bounds, bounds, steps))
def test_a_chain_reads_like_one_list(
    first: list[int], second: list[int], later: list[int], at: int, cut: slice
) -> None:
    growing = list(second)
    chained = Chained(tuple(first), Window(growing))
    growing += later
    same_as_list(chained, first + second, at, cut)


@given(items, items, items)
def test_chains_of_chains_are_chains(one: list[int], two: list[int], three: list[int]) -> None:
    assert Chained(one, Chained(two, three)) == Chained(Chained(one, two), three) == one + two + three


@pytest.mark.requirement("D-window")
def test_taking_and_iterating_a_window_copies_nothing() -> None:
    class Untouched(list[int]):
        def __getitem__(self, key: Any) -> Any:
            raise AssertionError("read")

        def __iter__(self) -> Any:
            raise AssertionError("copied")

    window = Window(Untouched(range(1_000)))
    assert (len(window), len(Chained((1,), window))) == (1_000, 1_001)


@pytest.mark.requirement("C049", "C057")
@pytest.mark.parametrize("made", [Window([1, 2]), Chained((1,), (2,))])
def test_neither_can_be_changed_or_hashed(made: Sequence[int]) -> None:
    assert not hasattr(made, "append")
    with pytest.raises(TypeError):
        made[0] = 2  # type: ignore[index]  # what must fail
    with pytest.raises(TypeError):
        hash(made)


def test_neither_equals_something_that_is_no_sequence() -> None:
    assert Window([1]) != 1
    assert Chained([1], [2]) != {1, 2}
