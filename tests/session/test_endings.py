"""Whatever happens to a session, in whatever order: every accepted message ends once."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.event import Mode
from session.play import Op, Play

NUMBERS = st.integers(min_value=0, max_value=7)
NAMES = ["submit", "process", "again", "withdraw", "abandon", "cancel", "interrupt", "interrupt_event", "open", "fact"]
OFTEN = st.sampled_from(["submit", "open", "step"])


def operations(*names: str, modes: Sequence[Mode] = ("queue",)) -> st.SearchStrategy[list[Op]]:
    """Any operations, those that bring things forward more often."""
    mode = st.sampled_from(modes)
    return st.lists(st.builds(Op, st.one_of(st.sampled_from([*NAMES, *names]), OFTEN), NUMBERS, mode), max_size=30)


CLOSE = st.sampled_from([[], [Op("close")]])
PASSES = st.integers(min_value=0, max_value=2)


@pytest.mark.requirement("L2", "D-one-ending", "D-turns-told")
@pytest.mark.slow
@settings(max_examples=100)
@given(ops=operations(), close=CLOSE, late=operations(), passes=PASSES)
def test_every_message_ends_once_whoever_interferes_and_when(
    ops: list[Op], close: list[Op], late: list[Op], passes: int
) -> None:
    """Ticket, last event and stored ending agree; history was told and can be sent; nothing is left running."""
    asyncio.run(Play(passes).run([*ops, *close, *late]))


@pytest.mark.requirement("D-one-ending")
@pytest.mark.slow
@settings(max_examples=100)
@given(ops=operations("turn", modes=["queue", "steer", "interrupt"]), close=CLOSE, passes=PASSES)
def test_messages_that_steer_or_interrupt_end_once_as_well(ops: list[Op], close: list[Op], passes: int) -> None:
    asyncio.run(Play(passes).run([*ops, *close]))


@pytest.mark.requirement("D-one-ending", "D-shutdown")
@pytest.mark.slow
@settings(max_examples=100)
@given(ops=operations("restart", modes=["queue", "steer", "interrupt"]), passes=PASSES)
def test_messages_end_once_however_often_the_process_is_another(ops: list[Op], passes: int) -> None:
    """What is left by one goes on in the next."""
    asyncio.run(Play(passes).run(ops))
