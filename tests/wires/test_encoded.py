"""What was encoded before is used again, and never changes what is sent."""

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Text
from ore.ext.wires.encoded import encode_units, keep, keep_of_tools, last_unit, units
from ore.ledger import Role, Turn


def turn(id: str, role: Role = Role.USER, text: str = "") -> Turn:
    return Turn(id=id, role=role, artifacts=(Text(content=text or id),))


def goes_on(before: Turn, turn: Turn) -> bool:
    return before.role is turn.role


class Count:
    """Encodes units and counts the turns that it had to."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, unit: Sequence[Turn]) -> bytes:
        self.turns += len(unit)
        texts = [artifact.for_model() for turn in unit for artifact in turn.artifacts]
        return msgspec.json.encode([unit[0].role, *texts]) if any(texts) else b""


def body(turns: Sequence[Turn], kept: dict[Any, Any], count: Count | None = None, key: object = "wire") -> bytes:
    return b",".join(encode_units(turns, goes_on, count or Count(), kept=kept, key=key))


def conversation(length: int) -> list[Turn]:
    return [turn(f"t{place}", (Role.USER, Role.ASSISTANT)[place % 2]) for place in range(length)]


def test_a_turn_is_encoded_once_while_a_conversation_grows() -> None:
    turns, kept, count = conversation(300), dict[Any, Any](), Count()
    for length in range(2, 301, 2):
        body(turns[:length], kept, count)
    assert count.turns == 300


def test_a_unit_that_grows_takes_nothing_with_it() -> None:
    """Each pair of turns is one unit: it is encoded with its first turn, and once more with both."""
    turns = [turn(f"t{place}", (Role.USER, Role.ASSISTANT)[place // 2 % 2]) for place in range(300)]
    kept, count = dict[Any, Any](), Count()
    for length in range(1, 301):
        body(turns[:length], kept, count)
    assert count.turns == 150 * (1 + 2)


ROLES = st.sampled_from([Role.SYSTEM, Role.USER, Role.ASSISTANT])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), ROLES, st.sampled_from(["", "a", "é"])),
        st.tuples(st.just("change"), st.integers(0, 200)),
        st.tuples(st.just("drop"), st.integers(0, 200)),
        st.tuples(st.just("show"), st.integers(0, 200), st.integers(0, 200)),
        st.tuples(st.just("insert"), st.integers(0, 200), ROLES),
    ),
    max_size=80,
)


@given(STEPS, st.integers(0, 120))
def test_the_bytes_are_those_of_encoding_anew_whatever_was_asked_before(
    steps: list[tuple[Any, ...]], begun: int
) -> None:
    """Turns are added, replaced under their ids, dropped, shown in part, or made up for one request."""
    turns, kept = conversation(begun), dict[Any, Any]()
    for number, (step, *given_) in enumerate(steps):
        shown = turns
        match step:
            case "add":
                turns.append(turn(f"s{number}", *given_))
            case "change" if turns:
                place = given_[0] % len(turns)
                turns[place] = turn(turns[place].id, turns[place].role, f"changed {number}")
            case "drop" if turns:
                del turns[given_[0] % len(turns)]
            case "show":
                shown = turns[min(given_) : max(given_)]
            case "insert":
                shown = [*turns[: given_[0]], turn("virtual", given_[1], f"{number}"), *turns[given_[0] :]]
        assert body(shown, kept) == body(shown, {})


def test_turns_that_are_made_anew_each_time_leave_nothing_behind() -> None:
    turns, kept = conversation(10), dict[Any, Any]()
    for number in range(1_000):
        virtual = turn(f"virtual {number}", Role.SYSTEM)
        body([virtual, *turns], kept)
    assert len(msgspec.json.encode([(piece.now, piece.before) for piece in kept.values()])) < 20_000


def test_an_equal_turn_that_is_another_object_is_encoded_again() -> None:
    """Equal values may be written differently, such as 1 and 1.0 in a vendor's data."""
    kept, count = dict[Any, Any](), Count()
    body([turn("a", text="x")], kept, count)
    body([turn("a", text="x")], kept, count)
    assert count.turns == 2


def test_a_request_in_between_with_other_turns_costs_nothing() -> None:
    turns, kept, count = conversation(100), dict[Any, Any](), Count()
    body(turns, kept, count)
    body(turns[90:], kept)
    body(turns, kept, count)
    assert count.turns == 100


def test_what_was_kept_for_one_model_is_not_used_for_another_and_old_models_go() -> None:
    turns, kept, count = conversation(4), dict[Any, Any](), Count()
    for model in range(10):
        body(turns, kept, count, key=("wire", model))
    assert count.turns == 40
    assert len(kept) == 4
    body(turns, kept, count, key=("wire", 9))
    assert count.turns == 40


def test_where_the_last_unit_begins() -> None:
    turns = [turn("a"), turn("b", Role.ASSISTANT), turn("c"), turn("d")]
    assert last_unit(turns, goes_on) == 2
    assert last_unit(turns[:2], goes_on) == 1
    assert last_unit([], goes_on) == 0
    assert [[one.id for one in unit] for unit in units(turns, goes_on)] == [["a"], ["b"], ["c", "d"]]


def test_one_value_is_kept_for_the_identical_sources() -> None:
    kept, made = dict[Any, Any](), list[None]()

    def make() -> int:
        made.append(None)
        return len(made)

    tools = [object(), object()]
    assert [keep(kept, "tools", tools, make), keep(kept, "tools", tuple(tools), make)] == [1, 1]
    assert keep(kept, "tools", tools[:1], make) == 2
    assert keep(kept, "tools", [], make) == keep(kept, "tools", [], make) == 3


def test_what_depends_on_tools_alone_is_made_once_for_all_conversations() -> None:
    made, tools, others = list[int](), [object(), object()], [object()]

    def make() -> int:
        made.append(len(made))
        return made[-1]

    key = object()
    assert [keep_of_tools({}, key, tools, make) for _ in range(3)] == [0, 0, 0]
    conversation = dict[Any, Any]()
    assert keep_of_tools(conversation, key, others, make) == 1
    assert keep_of_tools({}, key, tools, make) == 2
    assert keep_of_tools(conversation, key, others, make) == 1
    for _ in range(100):
        keep_of_tools({}, object(), tools, make)
    assert keep_of_tools(conversation, key, others, make) == 1
