"""A thread is a tree with a tip; against a model that looks everything up anew."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ledger.conversation import answer, calls, chain, results, turn, user
from ore.artifact import Text, TextDelta
from ore.errors import ConflictError, InputError, NotFoundError
from ore.ledger import Control, Role, Thread, Turn, parted, unanswered

CONTINUE, STOP, SKIP = Control.CONTINUE, Control.STOP, Control.SKIP


def ids(turns: Sequence[Turn]) -> list[str]:
    return [turn.id for turn in turns]


# ── Adding ───────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C035")
def test_an_empty_thread_has_no_turns_and_no_tip() -> None:
    thread = Thread()
    assert (list(thread.turns), list(thread.all_turns), thread.tip) == ([], [], None)


@pytest.mark.requirement("C036", "C037", "C038")
def test_added_turns_follow_each_other() -> None:
    thread = Thread()
    first = thread.add(Role.USER, Text(content="hi"))
    second = thread.add(Role.ASSISTANT)
    assert (first.role, first.artifacts, first.parent_id, first.control) == (
        Role.USER,
        (Text(content="hi"),),
        None,
        CONTINUE,
    )
    assert (second.artifacts, second.parent_id) == ((), first.id)
    assert (list(thread.turns), thread.tip) == ([first, second], second.id)
    assert first.id != second.id


@pytest.mark.requirement("C039")
def test_the_time_comes_from_the_clock() -> None:
    times = iter([datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in range(2)])
    thread = Thread(clock=lambda: next(times))
    assert [thread.add(Role.USER).timestamp for _ in range(2)] == [
        datetime(2026, 1, 1, 0, tzinfo=UTC),
        datetime(2026, 1, 1, 1, tzinfo=UTC),
    ]


@pytest.mark.requirement("D-same-object")
def test_a_turn_is_kept_as_the_object_it_is() -> None:
    said = user("a")
    thread = Thread()
    thread.append(said)
    assert thread.turns[0] is said
    assert thread.get("a") is said
    assert thread.get("b") is None


# ── The path ─────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C042", "D-path")
def test_the_path_begins_at_a_stop() -> None:
    thread = Thread(chain(user("a"), answer("b"), user("c"), answer("d")))
    assert thread.set_control("c", STOP) is True
    assert (ids(thread.turns), ids(thread.all_turns)) == (["c", "d"], ["a", "b", "c", "d"])
    thread.set_control("c", CONTINUE)
    assert ids(thread.turns) == ["a", "b", "c", "d"]


@pytest.mark.requirement("D-path")
def test_the_path_passes_over_a_skipped_turn() -> None:
    thread = Thread(chain(user("a"), answer("b"), user("c"), answer("d")))
    for id in ("b", "d"):
        thread.set_control(id, SKIP)
    assert (ids(thread.turns), thread.tip) == (["a", "c"], "d")
    thread.append(user("e", "d"))
    assert ids(thread.turns) == ["a", "c", "e"]


@pytest.mark.requirement("C045")
def test_a_parent_that_is_missing_ends_the_path() -> None:
    assert ids(Thread([user("b", "lost"), answer("c", "b")]).turns) == ["b", "c"]
    assert ids(Thread([user("b")], tip="lost").turns) == []


def test_a_parent_that_turns_up_later_joins_the_path() -> None:
    thread = Thread([answer("b", "a")])
    thread.save_turn(user("a"))
    assert (ids(thread.turns), thread.tip) == (["a", "b"], "b")


@pytest.mark.requirement("L8", "N04")
@pytest.mark.parametrize(
    "turns",
    [
        [user("a", "a")],
        [user("a", "b"), answer("b", "a")],
        [user("a", "c"), answer("b", "a"), user("c", "b"), answer("d", "c")],
    ],
)
def test_parents_in_a_circle_end_the_walk(turns: list[Turn]) -> None:
    """Only an import can bring them."""
    thread = Thread(turns)
    assert ids(thread.turns) == ids(turns)
    assert thread.set_tip(turns[0].id) == turns[0].id


def test_results_that_follow_each_other_in_a_circle_do_not_trap_a_fork() -> None:
    thread = Thread([calls("a", "c", "1"), results("b", "a", "1"), results("c", "b", "1")])
    thread.append(results("d", "c", "1"))
    thread.save_turn(results("b", "d", "1"))
    assert thread.set_tip("b") in {"b", "c", "d"}


@pytest.mark.requirement("L8", "D-parent-cycles")
@pytest.mark.parametrize("parent", ["a", "b", "c"])
def test_hanging_a_turn_below_itself_is_refused(parent: str) -> None:
    thread = Thread(chain(user("a"), answer("b"), user("c")))
    with pytest.raises(ConflictError):
        thread.set_parent("a", parent)
    assert ids(thread.turns) == ["a", "b", "c"]


@pytest.mark.requirement("C046")
def test_a_turn_that_becomes_a_root_has_no_ancestors_on_the_path() -> None:
    thread = Thread(chain(user("a"), answer("b"), user("c"), answer("d")))
    assert thread.set_parent("c", None) is True
    assert (ids(thread.turns), ids(thread.all_turns)) == (["c", "d"], ["a", "b", "c", "d"])


@pytest.mark.requirement("C047")
def test_changing_a_turn_that_is_not_there_does_nothing() -> None:
    thread = Thread(chain(user("a")))
    assert (thread.set_control("lost", STOP), thread.set_parent("lost", "a")) == (False, False)
    assert ids(thread.turns) == ["a"]


@pytest.mark.requirement("C048")
def test_a_saved_turn_is_stored_and_the_tip_stays() -> None:
    thread = Thread(chain(user("a"), answer("b")))
    taken = thread.turns
    thread.save_turn(answer("c", "a"))
    thread.save_turn(msgspec.structs.replace(user("a"), origin="edited"))
    assert (thread.tip, ids(thread.turns), ids(thread.all_turns)) == ("b", ["a", "b"], ["a", "b", "c"])
    assert thread.turns[0].origin == "edited"
    assert taken[0].origin is None
    with pytest.raises(InputError):
        thread.save_turn(turn("d", "b", Role.ASSISTANT, TextDelta(content="x")))


# ── The tip ──────────────────────────────────────────────────────────────────


def test_a_fork_goes_on_from_another_turn() -> None:
    thread = Thread(chain(user("a"), answer("b"), user("c")))
    assert thread.set_tip("b") == "b"
    forked = thread.add(Role.USER, Text(content="instead"))
    assert (ids(thread.turns), forked.parent_id) == (["a", "b", forked.id], "b")
    thread.set_tip("c")
    assert ids(thread.turns) == ["a", "b", "c"]


def test_a_thread_can_begin_again_without_a_tip() -> None:
    thread = Thread(chain(user("a")))
    assert thread.set_tip(None) is None
    assert (list(thread.turns), thread.tip) == ([], None)
    again = thread.add(Role.USER)
    assert (again.parent_id, ids(thread.turns)) == (None, [again.id])


def test_a_thread_is_loaded_with_its_tip_or_with_none_or_at_its_last_turn() -> None:
    turns = chain(user("a"), answer("b"))
    assert [Thread(turns).tip, Thread(turns, tip="a").tip, Thread(turns, tip=None).tip] == ["b", "a", None]
    assert list(Thread(turns, tip=None).turns) == []


def test_a_tip_that_is_not_there_is_refused() -> None:
    thread = Thread(chain(user("a")))
    with pytest.raises(NotFoundError):
        thread.set_tip("lost")
    assert thread.tip == "a"


# ── Replacing ────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-replace-in-place", "L18")
def test_replacing_all_turns_keeps_the_thread() -> None:
    thread = Thread(chain(user("a"), answer("b")), meta={"k": "v"})
    taken = thread.turns
    thread.replace_all(chain(user("x"), answer("y")), tip="x")
    assert (ids(thread.turns), thread.tip, thread.meta.all()) == (["x"], "x", {"k": "v"})
    assert (ids(taken), thread.get("a")) == (["a", "b"], None)


@pytest.mark.requirement("L18")
def test_turns_without_ids_get_their_own_and_follow_each_other() -> None:
    thread = Thread([turn("", None, Role.USER), turn("", None, Role.ASSISTANT), turn("", None, Role.USER)])
    first, second, third = thread.turns
    assert len({first.id, second.id, third.id, ""}) == 4
    assert [first.parent_id, second.parent_id, third.parent_id] == [None, first.id, second.id]


@pytest.mark.requirement("D-replace-in-place")
@pytest.mark.parametrize(
    ("turns", "error"),
    [
        ([user("x"), user("x")], ConflictError),
        ([user("x"), turn("y", "x", Role.ASSISTANT, TextDelta(content="y"))], InputError),
    ],
)
def test_replacing_that_fails_changes_nothing(turns: list[Turn], error: type[Exception]) -> None:
    thread = Thread(chain(user("a"), answer("b")))
    with pytest.raises(error):
        thread.replace_all(turns)
    assert (ids(thread.turns), ids(thread.all_turns), thread.tip) == (["a", "b"], ["a", "b"], "b")
    thread.append(user("c", "b"))
    assert ids(thread.turns) == ["a", "b", "c"]


def test_trimming_changes_nothing_that_can_be_seen() -> None:
    thread = Thread(chain(user("a"), answer("b")))
    thread.trim()
    thread.append(user("c", "b"))
    assert (ids(thread.turns), thread.get("a")) == (["a", "b", "c"], user("a"))


# ── A call and its results stay together ─────────────────────────────────────

TALK = chain(user("a"), calls("b", None, "1", "2"), results("c", None, "1", "2"), answer("d"), user("e"), answer("f"))
TWO_RESULT_TURNS = chain(
    user("a"), calls("b", None, "1", "2"), results("c1", None, "1"), results("c2", None, "2"), answer("d")
)


@pytest.mark.requirement("D-sendable")
@pytest.mark.parametrize(("wanted", "tip"), [("a", "a"), ("b", "c"), ("c", "c"), ("d", "d")])
def test_a_fork_at_a_call_moves_behind_its_results(wanted: str, tip: str) -> None:
    thread = Thread(TALK)
    assert thread.set_tip(wanted) == tip
    assert (parted(thread.turns), unanswered(thread.turns)) == (False, [])


@pytest.mark.requirement("D-sendable")
@pytest.mark.parametrize("wanted", ["b", "c1", "c2"])
def test_a_fork_moves_behind_all_results_when_they_stand_in_several_turns(wanted: str) -> None:
    """The original wrote one tool turn for each call."""
    thread = Thread(TWO_RESULT_TURNS)
    assert thread.set_tip(wanted) == "c2"
    assert (parted(thread.turns), unanswered(thread.turns)) == (False, [])


def test_a_fork_at_a_call_without_results_stays_there() -> None:
    thread = Thread(chain(user("a"), calls("b", None, "1")))
    assert thread.set_tip("b") == "b"


@pytest.mark.requirement("D-sendable")
@pytest.mark.parametrize("tip", ["f", "a"])
@pytest.mark.parametrize(("id", "control"), [("b", SKIP), ("c", SKIP), ("c", STOP)])
def test_a_control_that_would_part_a_call_from_its_results_is_refused(id: str, control: Control, tip: str) -> None:
    """On branches that are not active as well."""
    thread = Thread(TALK, tip=tip)
    with pytest.raises(ConflictError):
        thread.set_control(id, control)
    assert list(thread.all_turns) == TALK
    assert (thread.tip, thread.set_tip("f")) == (tip, "f")
    assert list(thread.turns) == TALK


@pytest.mark.requirement("D-sendable")
def test_results_cannot_be_hidden_even_when_they_are_the_last_turn() -> None:
    """Their calls would be answered a second time."""
    thread = Thread(TALK[:3])
    with pytest.raises(ConflictError):
        thread.set_control("c", SKIP)
    assert unanswered(thread.turns) == []


@pytest.mark.requirement("D-sendable")
@pytest.mark.parametrize(("id", "control"), [("b", STOP), ("d", SKIP), ("d", STOP), ("a", SKIP), ("e", STOP)])
def test_a_control_beside_a_call_and_its_results_is_taken(id: str, control: Control) -> None:
    thread = Thread(TALK)
    assert thread.set_control(id, control) is True
    assert parted(thread.turns) is False


@pytest.mark.requirement("D-sendable")
@pytest.mark.parametrize(("id", "parent"), [("c", None), ("c", "a"), ("e", "b"), ("d", "a")])
def test_a_parent_that_would_part_a_call_from_its_results_is_refused(id: str, parent: str | None) -> None:
    thread = Thread(TALK)
    if id == "d":
        assert thread.set_parent(id, parent) is True
        assert parted(thread.turns) is False
        return
    with pytest.raises(ConflictError):
        thread.set_parent(id, parent)
    assert list(thread.turns) == TALK


def test_a_thread_that_came_broken_can_still_be_mended() -> None:
    """An import may bring a call that nobody answered."""
    thread = Thread(chain(user("a"), calls("b", None, "1"), user("c"), answer("d")))
    assert parted(thread.turns)
    assert thread.set_control("c", STOP) is True
    assert (ids(thread.turns), parted(thread.turns)) == (["c", "d"], False)
    other = Thread(chain(user("a"), calls("b", None, "1"), user("c"), answer("d")))
    assert other.set_control("b", SKIP) is True
    assert (ids(other.turns), parted(other.turns)) == (["a", "c", "d"], False)


# ── Against a model ──────────────────────────────────────────────────────────

NAMES = [f"t{number}" for number in range(7)]
PARENTS = st.none() | st.sampled_from([*NAMES, "lost"])


class Model:
    """A dictionary, a tip, and a walk each time."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.tip: str | None = None

    def path(self) -> list[Turn]:
        path: list[Turn] = []
        seen: set[str] = set()
        at = self.tip
        while at in self.turns and at not in seen:
            seen.add(at)
            found = self.turns[at]
            path = path if found.control is SKIP else [found, *path]
            at = None if found.control is STOP else found.parent_id
        return path

    def change(self, id: str, **fields: object) -> bool:
        if id in self.turns:
            self.turns[id] = msgspec.structs.replace(self.turns[id], **fields)
        return id in self.turns

    def follows(self, id: str | None, ancestor: str) -> bool:
        seen: set[str] = set()
        while id in self.turns and id not in seen:
            if id == ancestor:
                return True
            seen.add(id)
            id = self.turns[id].parent_id
        return id == ancestor


class ThreadIsATree(RuleBasedStateMachine):
    """Text turns only, so nothing but conflicts and circles is refused."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = Thread()
        self.model = Model()
        self.taken: list[tuple[Sequence[Turn], list[Turn]]] = []

    @rule(id=st.sampled_from(NAMES), parent=PARENTS, at_tip=st.booleans(), control=st.sampled_from(Control))
    def append(self, id: str, parent: str | None, at_tip: bool, control: Control) -> None:
        added = user(id, self.thread.tip if at_tip else parent, control=control)
        if id in self.model.turns:
            with pytest.raises(ConflictError):
                self.thread.append(added)
            return
        self.thread.append(added)
        self.model.turns[id], self.model.tip = added, id

    @rule(id=st.sampled_from(NAMES), parent=PARENTS, control=st.sampled_from(Control))
    def save(self, id: str, parent: str | None, control: Control) -> None:
        saved = user(id, parent, control=control)
        self.thread.save_turn(saved)
        self.model.turns[id] = saved

    @rule(id=st.none() | st.sampled_from(NAMES))
    def set_tip(self, id: str | None) -> None:
        if id is not None and id not in self.model.turns:
            with pytest.raises(NotFoundError):
                self.thread.set_tip(id)
            return
        assert self.thread.set_tip(id) == id
        self.model.tip = id

    @rule(id=st.sampled_from(NAMES), control=st.sampled_from(Control))
    def set_control(self, id: str, control: Control) -> None:
        assert self.thread.set_control(id, control) is self.model.change(id, control=control)

    @rule(id=st.sampled_from(NAMES), parent=PARENTS)
    def set_parent(self, id: str, parent: str | None) -> None:
        if id in self.model.turns and self.model.follows(parent, id):
            with pytest.raises(ConflictError):
                self.thread.set_parent(id, parent)
            return
        assert self.thread.set_parent(id, parent) is self.model.change(id, parent_id=parent)

    @rule(tip=st.none() | st.sampled_from(NAMES))
    def replace_all(self, tip: str | None) -> None:
        kept = list(self.model.turns.values())[::2]
        self.thread.replace_all(kept, tip=tip)
        self.model.turns, self.model.tip = {turn.id: turn for turn in kept}, tip

    @rule()
    def take(self) -> None:
        self.taken.append((self.thread.turns, list(self.thread.turns)))
        self.taken.append((self.thread.all_turns, list(self.thread.all_turns)))

    @rule()
    def trim(self) -> None:
        self.thread.trim()

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        assert list(self.thread.turns) == self.model.path()
        assert list(self.thread.all_turns) == list(self.model.turns.values())
        assert (self.thread.tip, self.thread.get("t0")) == (self.model.tip, self.model.turns.get("t0"))

    @invariant()
    def what_was_taken_stays(self) -> None:
        assert all(window == copy for window, copy in self.taken)


class HistoryIsSendable(RuleBasedStateMachine):
    """Turns are recorded as a step records them; then anything is changed."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = Thread()
        self.count = 0

    def _append(self, made: Turn) -> None:
        self.count += 1
        self.thread.append(made)

    def _name(self) -> str:
        return f"t{self.count}"

    @initialize()
    def begin(self) -> None:
        self._append(user(self._name()))

    @precondition(lambda self: not unanswered(self.thread.turns))
    @rule(role=st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]))
    def say(self, role: Role) -> None:
        self._append(turn(self._name(), self.thread.tip, role, Text(content="x")))

    @precondition(lambda self: not unanswered(self.thread.turns))
    @rule(names=st.lists(st.sampled_from("pq"), min_size=1, max_size=3))
    def call(self, names: list[str]) -> None:
        self._append(calls(self._name(), self.thread.tip, *names))

    @precondition(lambda self: bool(unanswered(self.thread.turns)))
    @rule(together=st.booleans())
    def answer(self, together: bool) -> None:
        names = [open.call.id for open in unanswered(self.thread.turns)]
        for part in [names] if together else [[name] for name in names]:
            self._append(results(self._name(), self.thread.tip, *part))

    @rule(place=st.integers(0), control=st.sampled_from(Control))
    def set_control(self, place: int, control: Control) -> None:
        id = self.thread.all_turns[place % self.count].id
        self._unchanged_when_refused(lambda: self.thread.set_control(id, control))

    @rule(place=st.integers(0), parent=st.integers(0))
    def set_parent(self, place: int, parent: int) -> None:
        id, other = (self.thread.all_turns[number % self.count].id for number in (place, parent))
        self._unchanged_when_refused(lambda: self.thread.set_parent(id, other))

    @rule(place=st.integers(0))
    def fork(self, place: int) -> None:
        self.thread.set_tip(self.thread.all_turns[place % self.count].id)

    def _unchanged_when_refused(self, change: Callable[[], bool]) -> None:
        before = (list(self.thread.all_turns), list(self.thread.turns), self.thread.tip)
        try:
            change()
        except ConflictError:
            assert (list(self.thread.all_turns), list(self.thread.turns), self.thread.tip) == before

    @invariant()
    def no_call_is_parted_from_its_results(self) -> None:
        assert not parted(self.thread.turns)


@pytest.mark.requirement("D-path", "D-window")
def test_whatever_is_done_to_a_thread_it_is_the_tree_that_a_model_makes() -> None:
    run_state_machine_as_test(ThreadIsATree, settings=settings(max_examples=60))


@pytest.mark.requirement("D-sendable")
def test_whatever_is_done_to_a_thread_no_call_is_parted_from_its_results() -> None:
    run_state_machine_as_test(HistoryIsSendable, settings=settings(max_examples=60))
