"""Buffers, facts and views."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.conversation import answer, chain, user
from ore.artifact import Text
from ore.errors import ConflictError
from ore.ledger import Buffer, Meta, Role, State, Thread, Turn, prepend, view

STATES = [Buffer, Thread]

Wrap = Callable[[State, Sequence[Turn]], State]


@pytest.mark.requirement("K3")
@pytest.mark.parametrize("kind", STATES)
def test_a_whole_turn_or_its_parts_can_be_appended(kind: type[Buffer | Thread]) -> None:
    state = kind()
    state.append(user("a"))
    added = state.add(Role.ASSISTANT, Text(content="hi"))
    assert list(state.turns) == [user("a"), added]
    assert (added.role, added.artifacts, added.parent_id) == (Role.ASSISTANT, (Text(content="hi"),), "a")
    assert state.tip == added.id


@pytest.mark.requirement("D-conflict")
@pytest.mark.parametrize("kind", STATES)
def test_a_turn_that_is_there_already_is_a_conflict(kind: type[Buffer | Thread]) -> None:
    state = kind(chain(user("a"), answer("b")))
    for id in ("a", "b"):
        with pytest.raises(ConflictError):
            state.append(user(id, "b"))
    state.append(user("c", "b"))
    with pytest.raises(ConflictError):
        state.append(user("c", "b"))
    assert ([turn.id for turn in state.turns], state.tip) == (["a", "b", "c"], "c")


@pytest.mark.requirement("C049", "D-window")
@pytest.mark.parametrize("kind", STATES)
def test_turns_that_were_taken_stay_as_they_were(kind: type[Buffer | Thread]) -> None:
    state = kind(chain(user("a"), answer("b")))
    before = state.turns
    state.append(user("c", "b"))
    assert [turn.id for turn in before] == ["a", "b"]
    assert [turn.id for turn in state.turns] == ["a", "b", "c"]


def test_an_empty_buffer_has_no_tip() -> None:
    assert (list(Buffer().turns), Buffer().tip) == ([], None)


# ── Facts ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C050")
@pytest.mark.parametrize("kind", STATES)
def test_every_handle_of_a_state_shares_its_facts(kind: type[Buffer | Thread]) -> None:
    state = kind(meta={"given": "1"})
    one, other = state.meta, state.meta
    one.set("a", "")
    assert (other.get("a"), other.get("given"), other.get("missing")) == ("", "1", None)
    one.delete("a")
    one.delete("a")
    assert (other.get("a"), list(other), len(other)) == (None, ["given"], 1)


@pytest.mark.requirement("C051")
def test_all_facts_are_a_copy() -> None:
    given = {"a": "1"}
    meta = Meta(given)
    given["b"] = "2"
    meta.all()["c"] = "3"
    assert meta.all() == {"a": "1"}


def test_replacing_all_facts_reaches_every_handle() -> None:
    state = Buffer(meta={"a": "1"})
    handle = state.meta
    state.meta.replace_all({"b": "2"})
    assert handle.all() == {"b": "2"}


@pytest.mark.requirement("B57")
def test_facts_hold_no_lone_surrogates() -> None:
    meta = Meta()
    meta.set("k\ud800", "v\udcb2")
    assert meta.all() == {"k\ufffd": "v\ufffd"}


# ── Views ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C052", "D-prepend-live")
def test_prepended_turns_stand_before_the_bases_as_they_are_now() -> None:
    base = Thread(chain(user("a")))
    seen = prepend(base, [user("v"), user("w")])
    taken = seen.turns
    base.append(answer("b", "a"))
    assert [turn.id for turn in seen.turns] == ["v", "w", "a", "b"]
    assert [turn.id for turn in taken] == ["v", "w", "a"]


@pytest.mark.requirement("C058", "D-view-frozen")
def test_a_view_shows_the_turns_it_was_made_with() -> None:
    base = Thread()
    base.add(Role.SYSTEM, Text(content="be brief"))
    said = base.add(Role.USER, Text(content="hi"))
    seen = view(base, [turn for turn in base.turns if turn.role is not Role.SYSTEM])
    base.add(Role.ASSISTANT, Text(content="later"))
    assert list(seen.turns) == [said]


@pytest.mark.requirement("C057")
@pytest.mark.parametrize("wrap", [prepend, view])
def test_a_view_does_not_follow_the_list_it_was_made_with(wrap: Wrap) -> None:
    virtual = [user("v")]
    seen = wrap(Buffer(), virtual)
    virtual.append(user("w"))
    assert [turn.id for turn in seen.turns] == ["v"]


@pytest.mark.requirement("C056", "K5")
@pytest.mark.parametrize("wrap", [prepend, view])
@pytest.mark.parametrize("kind", STATES)
def test_what_is_appended_through_a_view_reaches_the_base(wrap: Wrap, kind: type[Buffer | Thread]) -> None:
    base = kind(chain(user("a")))
    seen = wrap(wrap(base, [user("v")]), [user("w")])
    seen.append(answer("b", "a"))
    seen.meta.set("k", "v")
    assert [turn.id for turn in base.turns] == ["a", "b"]
    assert (seen.base, seen.tip, base.meta.all()) == (base, "b", {"k": "v"})


@pytest.mark.requirement("K5")
def test_a_view_of_nothing_is_the_base_itself() -> None:
    base = Buffer()
    assert prepend(base, []) is base
    assert view(base, ()) is base
    assert base.base is base


def test_a_turn_can_be_added_through_a_view_by_its_parts() -> None:
    base = Thread(chain(user("a")))
    seen = prepend(base, [user("v")])
    added = seen.add(Role.ASSISTANT, Text(content="hi"))  # type: ignore[attr-defined]  # more than a State has
    assert (added.parent_id, base.tip) == ("a", added.id)


@pytest.mark.parametrize("state", [Buffer(), Thread(), view(Buffer(), [user("v")]), prepend(Thread(), [user("v")])])
def test_ledgers_and_views_are_states(state: object) -> None:
    assert isinstance(state, State)


@given(st.lists(st.sampled_from("ab"), max_size=4), st.integers(0, 3))
def test_views_of_views_show_what_each_adds(depths: list[str], later: int) -> None:
    """Against plain lists."""
    base = Buffer([user("base")])
    seen: State = base
    shown: list[str] | None = None
    before: list[str] = []
    for number, how in enumerate(depths):
        name = f"{how}{number}"
        if how == "a":
            seen = prepend(seen, [user(name)])
            before = [name, *before]
        else:
            seen = view(seen, [user(name)])
            shown, before = [name], []
    for number in range(later):
        base.add(Role.USER, Text(content=str(number)))
    assert [turn.id for turn in seen.turns] == before + (shown or [turn.id for turn in base.turns])
