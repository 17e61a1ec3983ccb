"""Names that every vendor accepts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.tool import is_wire_name, remote_name, wire_name

LEGAL = re.compile(r"^[a-zA-Z0-9_-]{1,64}\Z")

names = st.text(min_size=1) | st.text("ab_-.", min_size=1, max_size=6) | st.text("ab_", min_size=60, max_size=70)


def test_a_legal_name_stays() -> None:
    assert wire_name("read_file-2") == "read_file-2"
    assert remote_name("docs", "search") == "docs__search"


@pytest.mark.requirement("B70")
def test_names_that_vendors_refuse_become_legal_and_stay_distinct() -> None:
    """As does a name that is too long together with its source's."""
    pairs = [("my srv", "a.b"), ("my srv", "a/b"), ("my srv", "ключ"), ("my srv", "x" * 120), ("other", "a.b")]
    found = [remote_name(*pair) for pair in pairs]
    assert all(map(LEGAL.match, found))
    assert len(set(found)) == len(pairs)
    assert found[0].startswith("my_srv__a_b_")


@given(names, names)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert LEGAL.match(wire_name(one))
    assert (wire_name(one) == wire_name(other)) == (one == other)


@given(st.tuples(names, names), st.tuples(names, names))
def test_different_pairs_stay_different(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Also `a` with `b__c` and `a__b` with `c`."""
    assert LEGAL.match(remote_name(*one))
    assert (remote_name(*one) == remote_name(*other)) == (one == other)


def test_pairs_that_read_the_same_when_joined_are_told_apart() -> None:
    assert (
        len({remote_name("a", "b__c"), remote_name("a__b", "c"), remote_name("a_", "_b"), remote_name("a", "__b")}) == 4
    )


@pytest.mark.parametrize(
    ("name", "legal"), [("a", True), ("", False), ("a.b", False), ("a" * 65, False), ("a\n", False)]
)
def test_a_name_can_be_asked_about(name: str, legal: bool) -> None:
    assert is_wire_name(name) is legal


@pytest.mark.parametrize("pair", [("", "a"), ("a", "")])
def test_an_empty_name_is_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="expected"):
        remote_name(*pair)
    with pytest.raises(ValueError, match="empty"):
        wire_name("")
