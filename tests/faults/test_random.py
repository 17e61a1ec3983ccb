"""Killed at random points, again and again: nothing acknowledged is lost, and nothing is done twice.

`FAULTS_SEED` repeats a run as far as the machine allows, `FAULTS_SECONDS` gives the long one more time.
"""

import os
import time
from itertools import count

import pytest

from faults.stage import Stage
from faults.swarm import Swarm

SEED = int(os.environ.get("FAULTS_SEED") or time.time_ns() % 1_000_000)
SECONDS = float(os.environ.get("FAULTS_SECONDS", "60"))
KILLS = 200
OUTCOMES = {"done", "cancelled", "closed", "cleared", "failed"}


@pytest.mark.slow
@pytest.mark.requirement("D-faults-random")
async def test_after_two_hundred_kills_every_message_has_ended_once_and_every_session_is_sendable(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nFAULTS_SEED={SEED}")
    swarm = Swarm(stage, SEED, lambda swarm: swarm.kills >= KILLS)
    for batch in count():
        await work_and_judge(stage, swarm, [f"b{batch}s{number}" for number in range(6)], 5)
        if swarm.kills >= KILLS:
            break


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 240)
@pytest.mark.requirement("D-faults-random")
async def test_four_workers_over_twenty_sessions_may_die_for_as_long_as_there_is_time(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    with capsys.disabled():
        print(f"\nFAULTS_SEED={SEED} FAULTS_SECONDS={SECONDS:g}")
    end = time.monotonic() + SECONDS
    swarm = Swarm(stage, SEED + 1, lambda _: time.monotonic() >= end)
    for batch in count():
        await work_and_judge(stage, swarm, [f"b{batch}s{number}" for number in range(20)], 10)
        if time.monotonic() >= end:
            break


async def work_and_judge(stage: Stage, swarm: Swarm, names: list[str], messages: int) -> None:
    """When all have ended a fresh process finds every log sound, and in it whatever anybody was told."""
    await swarm.work(names, messages)
    sessions = await stage.check()
    for name in names:
        endings = sessions[name]["endings"]
        assert sorted(endings) == sorted(f"m{number}" for number in range(messages))
        assert {outcome for outcome, _ in endings.values()} <= OUTCOMES
        assert {code for _, code in endings.values()} <= {None, "limit", "store"}, endings
