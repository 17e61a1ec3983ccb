"""Agents inside calls survive what their callers survive."""

import pytest

from faults.stage import Stage
from ore.ledger import INNER

OPEN = ("open", "s")
PLAN = ("submit", "s", "m1", "m1 child note")

POINTS = [
    "tool.child.before:1",
    "submit.before:2",
    "submit.after:2",
    "take.after:2",
    "append.user.after:2",
    "stream.begin:2",
    "append.assistant.before:2",
    "append.assistant.after:2",
    "tool.note.before:2",
    "tool.note.after:2",
    "append.tool.before:1",
    "append.tool.after:1",
    "append.assistant.after:3",
    "append.ending.after:1",
    "tool.child.after:1",
]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.requirement("D-child-resume")
async def test_wherever_it_is_killed_an_agent_goes_on_and_no_finished_call_runs_again(stage: Stage, point: str) -> None:
    """What was started and not finished is unknown; everything else happens once, and everything ends."""
    await stage.killed(f"{point}:kill", OPEN, PLAN)
    sessions = await stage.verdict()
    assert sessions["s"]["endings"] == {"m1": ["done", None]}
    [inner] = [session for name, session in sessions.items() if name.startswith(INNER)]
    assert inner["endings"] == {"call": ["done", None]}
    assert max(inner["runs"].values()) == 1
    assert [status for _, status in inner["results"].values()].count("unknown") <= 1
    assert len(inner["results"]) == 2
    assert sorted(sessions["s"]["results"].values())[0] == ["child", "ok"]


@pytest.mark.parametrize(
    "point", ["tool.note.after:1", "tool.slow.before:1", "append.result.after:2", "tool.team.after:1"]
)
@pytest.mark.requirement("D-child-resume")
async def test_an_agent_with_three_calls_at_once_and_two_beside_it_go_on_after_a_kill(stage: Stage, point: str) -> None:
    """Only what may be run again, and had no result yet, runs a second time."""
    await stage.killed(f"{point}:kill", OPEN, ("submit", "s", "m1", "m1 team child child"))
    sessions = await stage.verdict()
    assert sessions["s"]["endings"] == {"m1": ["done", None]}
    assert sorted(sessions["s"]["results"].values()) == [["child", "ok"], ["child", "ok"], ["team", "ok"]]
    inner = [session for name, session in sessions.items() if name.startswith(INNER)]
    assert [session["endings"] for session in inner] == [{"call": ["done", None]}] * 3
    assert sorted(len(session["results"]) for session in inner) == [2, 2, 3]
    for session in inner:
        assert {status for _, status in session["results"].values()} <= {"ok", "unknown"}
        once = [key for key, (name, _) in session["results"].items() if name != "again"]
        assert all(session["runs"].get(key, 0) <= 1 for key in once)
