"""Killed at any seam, a process loses nothing that it was told is durable, and the next one goes on."""

from typing import Any

import pytest

from faults.stage import Stage

OPEN = ("open", "s")
PLAN = ("submit", "s", "m1", "m1 note again look")
SAID = [
    ["user", "complete", "m1 note again look"],
    ["assistant", "complete", "so be it"],
    ["tool", "complete", ""],
    ["assistant", "complete", "m1 is done"],
]


def by_tool(session: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """What became of each call, and how often it had its effect."""
    runs = session["runs"]
    return {tool: (status, runs.get(key, 0)) for key, (tool, status) in session["results"].items()}


UNTOUCHED = [
    *("submit.after", "take.after", "append.user.after", "stream.begin", "stream.batch", "stream.end"),
    "append.assistant.before",
]


@pytest.mark.parametrize("point", UNTOUCHED)
@pytest.mark.requirement("D-faults-seams")
async def test_before_its_answer_is_durable_a_message_is_worked_on_anew(stage: Stage, point: str) -> None:
    await stage.killed(f"{point}:1:kill", OPEN, PLAN)
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["done", None]}
    assert session["said"] == SAID
    assert by_tool(session) == {"note": ("ok", 1), "again": ("ok", 1), "look": ("ok", 0)}


@pytest.mark.parametrize("point", ["submit.before", "take.before", "append.user.before"])
async def test_what_nobody_was_told_is_durable_is_there_as_a_whole_or_not_at_all(stage: Stage, point: str) -> None:
    """It is accepted and begun in one commit, which may just have been made."""
    await stage.killed(f"{point}:1:kill", OPEN, PLAN)
    session = (await stage.verdict())["s"]
    assert (session["endings"], session["said"]) in (({}, []), ({"m1": ["done", None]}, SAID))


@pytest.mark.parametrize("point", ["take.before", "take.after", "append.user.before"])
async def test_what_was_accepted_and_not_begun_is_found_by_the_next_process_however_often(
    stage: Stage, point: str
) -> None:
    """The second of two, since the first one begins in the commit that accepts it."""
    await stage.killed("submit.after:2:kill", OPEN, ("submit", "s", "m0", "m0 look"), PLAN)
    for _ in range(5):
        await stage.killed(f"{point}:1:kill", ("recover",))
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m0": ["done", None], "m1": ["done", None]}
    assert session["said"][-4:] == SAID


@pytest.mark.parametrize(("point", "times"), [("next.before", 5), ("next.after", 2)])
@pytest.mark.requirement("D-faults-attempts")
async def test_what_was_begun_is_found_again_and_each_finding_counts(stage: Stage, point: str, times: int) -> None:
    """Before it is found, a kill is nobody's fault."""
    await stage.killed("stream.begin:1:kill", OPEN, PLAN)
    for _ in range(times):
        await stage.killed(f"{point}:1:kill", ("recover",))
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["done", None]}


ANY = ("ok", 1), ("unknown", 1)
"""The result is on its way to the disk."""

STARTED: list[tuple[str, Any, int]] = [
    ("append.assistant.after:1", ("unknown", 0), 1),
    ("tool.note.before:1", ("unknown", 0), 1),
    ("tool.note.after:1", ("unknown", 1), 1),
    ("tool.again.before:1", ANY, 1),
    ("tool.again.after:1", ANY, 2),
    ("append.result.before:1", ("unknown", 1), 2),
    ("append.result.after:1", ("ok", 1), 2),
    ("append.result.before:2", ("ok", 1), 2),
    ("append.result.after:2", ("ok", 1), 1),
    ("append.tool.before:1", ("ok", 1), 1),
    ("append.tool.after:1", ("ok", 1), 1),
    ("stream.begin:2", ("ok", 1), 1),
    ("stream.batch:4", ("ok", 1), 1),
    ("stream.batch:5", ("ok", 1), 1),
    ("append.ending.before:1", ("ok", 1), 1),
    ("append.ending.after:1", ("ok", 1), 1),
    ("close.before:1", ("ok", 1), 1),
    ("close.after:1", ("ok", 1), 1),
]


@pytest.mark.parametrize(("point", "note", "agains"), STARTED)
@pytest.mark.requirement("D-faults-once", "D-faults-seams")
async def test_a_call_that_finished_keeps_its_result_and_one_that_was_started_is_unknown_or_runs_again(
    stage: Stage, point: str, note: Any, agains: int
) -> None:
    await stage.killed(f"{point}:kill", OPEN, PLAN)
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["done", None]}
    assert session["said"] == SAID
    found = by_tool(session)
    assert found.pop("note") in (ANY if note is ANY else (note,))
    assert found == {"again": ("ok", agains), "look": ("ok", 0)}


@pytest.mark.parametrize("point", ["tool.slow.before", "tool.slow.after"])
@pytest.mark.requirement("D-faults-once")
async def test_a_tool_in_a_thread_is_no_exception(stage: Stage, point: str) -> None:
    await stage.killed(f"{point}:1:kill", OPEN, ("submit", "s", "m1", "m1 slow"))
    session = (await stage.verdict())["s"]
    assert by_tool(session) == {"slow": ("unknown", int(point.endswith("after")))}
    assert session["endings"] == {"m1": ["done", None]}


@pytest.mark.parametrize(("point", "known"), [("submit.before", []), ("submit.after", ["m1"])])
@pytest.mark.requirement("D-faults-same-id")
async def test_a_sender_that_heard_nothing_sends_again_and_it_is_one_message(
    stage: Stage, point: str, known: list[str]
) -> None:
    await stage.killed(f"{point}:1:kill", OPEN, PLAN)
    process = await stage.recover()
    assert [id for _, id, _ in process.all("done")] == known
    for command in (OPEN, PLAN):
        process.send(*command)
    await process.until("ended", "s", "m1", "done")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert session["said"] == SAID


@pytest.mark.requirement("D-faults-seams")
async def test_messages_that_waited_go_on_in_their_order(stage: Stage) -> None:
    plans = [("submit", "s", f"m{n}", f"m{n} note") for n in (1, 2, 3)]
    await stage.killed("append.ending.after:1:kill", OPEN, *plans)
    session = (await stage.verdict())["s"]
    assert session["endings"] == {f"m{n}": ["done", None] for n in (1, 2, 3)}
    assert [text for role, _, text in session["said"] if role == "user"] == ["m1 note", "m2 note", "m3 note"]


@pytest.mark.requirement("D-faults-seams")
async def test_whoever_sees_an_event_finds_its_turn_in_the_log(stage: Stage) -> None:
    """Killed while the second message streams, with everything of the first one seen."""
    await stage.killed("stream.batch:9:kill", OPEN, PLAN, ("submit", "s", "m2", "m2 look"))
    shown = [role for _, _, role in stage.processes[0].all("turn")]
    assert shown[:4] == ["user", "assistant", "tool", "assistant"]
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["done", None], "m2": ["done", None]}


async def test_a_second_kill_in_the_recovery_changes_nothing(stage: Stage) -> None:
    await stage.killed("append.result.after:1:kill", OPEN, PLAN)
    for point in ("append.result.after:1:kill", "append.tool.before:1:kill"):
        await stage.killed(point, ("recover",))
    session = (await stage.verdict())["s"]
    assert by_tool(session)["note"] == ("ok", 1)
    assert session["endings"] == {"m1": ["done", None]}


FAILED_WRITES = ["assistant:1", "result:1", "result:2", "tool:1", "assistant:2", "ending:1"]


@pytest.mark.requirement("D-faults-once")
async def test_a_message_that_could_not_be_begun_stays_in_the_inbox(stage: Stage) -> None:
    process = await stage.process("append.user.before:1:raise")
    for command in (OPEN, PLAN):
        process.send(*command)
    await process.until("went on", "s", "m1", "store")
    await stage.end(process)
    session = (await stage.verdict())["s"]
    assert (session["endings"], session["said"]) == ({"m1": ["done", None]}, SAID)


@pytest.mark.parametrize("point", FAILED_WRITES)
@pytest.mark.requirement("D-faults-once")
async def test_a_write_that_fails_once_costs_no_result_that_a_tool_had(stage: Stage, point: str) -> None:
    """The message fails; what ran has its real result or an honest one."""
    name, _, nth = point.partition(":")
    process = await stage.process(f"append.{name}.before:{nth}:raise")
    for command in (OPEN, PLAN):
        process.send(*command)
    await process.until("ended", "s", "m1", "failed", "store")
    await stage.end(process)
    session = (await stage.verdict())["s"]
    for tool, (status, runs) in by_tool(session).items():
        assert (status, runs) in {("ok", int(tool != "look")), ("unknown", 1), ("unknown", 0)}, tool
