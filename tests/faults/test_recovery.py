"""What a process left open, the next one takes up: questions, interrupts, steering, shutdowns."""

import pytest

from faults.stage import Process, Stage
from faults.test_seams import by_tool

OPEN = ("open", "s")


async def begun(stage: Stage, *plans: tuple[str, ...], points: str = "") -> Process:
    """A process with these messages submitted and accepted, in this order."""
    process = await stage.process(points)
    process.send(*OPEN)
    for plan in plans:
        process.send("submit", "s", *plan)
        await process.until("accepted", "s", plan[0])
    return process


async def asked(process: Process, count: int = 1) -> list[str]:
    """The keys of so many questions."""
    while len(process.all("question", "s")) < count:
        await process.more()
    return [key for (key,) in process.all("question", "s")]


async def until_it_calls(process: Process) -> None:
    """Wait for the turn with the calls."""
    while "assistant" not in [role for _, _, role in process.all("turn")]:
        await process.more()


# ── Questions ────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-questions", "B63", "B64")
async def test_approvals_stay_open_over_kills_and_are_answered_in_any_order(stage: Stage) -> None:
    """What ran meanwhile does not run again; each answer reaches its own call, and only the first one."""
    process = await begun(stage, ("m1", "m1 note careful careful"))
    keys = await asked(process, 2)
    await process.kill()
    process = await stage.process()
    process.send("recover")
    assert await asked(process, 2) == keys
    for key, decision in ((keys[1], "approve"), (keys[1], "deny"), ("nobody:0", "approve"), (keys[0], "deny")):
        process.send("answer", "s", key, decision)
    await process.until("done", "s", "m1")
    assert process.all("answered", "s") == [[keys[1]], [keys[0]]]
    assert process.all("failed", "answer", "s") == [[keys[1], "deny", "conflict"], ["nobody:0", "approve", "not_found"]]
    await stage.end(process)
    session = (await stage.check())["s"]
    assert [
        [session["results"][key][1], session["runs"].get(key, 0)] for key in (keys[0][:-1] + "0", keys[0], keys[1])
    ] == [
        ["ok", 1],
        ["denied", 0],
        ["ok", 1],
    ]


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ("append.answer.before:1", None),
        ("append.answer.after:1", ("ok", 1)),
        ("append.start.before:1", ("ok", 1)),
        ("append.start.after:1", ("unknown", 0)),
        ("tool.careful.before:1", ("unknown", 0)),
        ("tool.careful.after:1", ("unknown", 1)),
    ],
)
@pytest.mark.requirement("D-faults-questions")
async def test_an_answer_that_was_durable_is_not_asked_for_again(
    stage: Stage, point: str, expected: tuple[str, int] | None
) -> None:
    process = await begun(stage, ("m1", "m1 careful"), points=f"{point}:kill")
    (key,) = await asked(process)
    process.send("answer", "s", key, "approve")
    await process.ended()
    process = await stage.process()
    process.send("recover")
    if expected is None:
        assert await asked(process) == [key]
        process.send("answer", "s", key, "approve")
    await process.until("recovered")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert by_tool(session) == {"careful": expected or ("ok", 1)}
    assert session["questions"] == {key: "answered"}


@pytest.mark.requirement("D-faults-questions")
async def test_waiting_for_a_person_is_no_attempt(stage: Stage) -> None:
    process = await begun(stage, ("m1", "m1 careful"))
    for _ in range(6):
        (key,) = await asked(process)
        await process.kill()
        process = await stage.process()
        process.send("recover")
    await asked(process)
    process.send("answer", "s", key, "approve")
    await process.until("recovered")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert (session["endings"], by_tool(session)) == ({"m1": ["done", None]}, {"careful": ("ok", 1)})


@pytest.mark.requirement("D-faults-questions")
async def test_a_question_from_inside_a_tool_dies_with_it(stage: Stage) -> None:
    process = await begun(stage, ("m1", "m1 wonder"))
    (key,) = await asked(process)
    await process.kill()
    session = (await stage.verdict())["s"]
    assert by_tool(session) == {"wonder": ("unknown", 0)}
    assert session["questions"] == {key: "cancelled"}


@pytest.mark.parametrize("point", ["append.answer.after:1", "tool.wonder_again.after:1"])
@pytest.mark.requirement("D-faults-questions")
async def test_an_idempotent_tool_that_asked_finds_its_answer_when_it_runs_again(stage: Stage, point: str) -> None:
    process = await begun(stage, ("m1", "m1 wonder_again"), points=f"{point}:kill")
    (key,) = await asked(process)
    process.send("answer", "s", key, "because")
    await process.ended()
    session = (await stage.verdict())["s"]
    assert by_tool(session) == {"wonder_again": ("ok", 1 + point.startswith("tool"))}
    assert session["questions"] == {key: "answered"}


# ── Interrupts ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-interrupt")
async def test_an_interrupt_that_was_durable_ends_the_message_after_a_kill(stage: Stage) -> None:
    """What had finished keeps its result; the next message is not touched."""
    process = await begun(stage, ("m1", "m1 note wait"), ("m2", "m2 note"), points="append.result.after:1:stop")
    await process.until("stopped")
    other = await stage.process()
    other.send("mark", "s")
    await other.until("marked", "s")
    await process.kill()
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["cancelled", None], "m2": ["done", None]}
    assert sorted(session["results"].values()) == [["note", "ok"], ["note", "ok"], ["wait", "cancelled"]]


@pytest.mark.parametrize("how", ["cancel", "message"])
@pytest.mark.requirement("D-faults-interrupt")
async def test_what_was_stopped_by_its_sender_or_by_another_message_stays_stopped_after_a_kill(
    stage: Stage, how: str
) -> None:
    """As soon as anybody was told so, though its ending was not durable yet."""
    process = await begun(stage, ("m1", "m1 wait | note"), points="append.ending.before:1:sleep")
    await until_it_calls(process)
    if how == "cancel":
        process.send("cancel", "s", "m1")
        await process.until("cancelled", "s", "m1", True)
    else:
        process.send("submit", "s", "m2", "m2", "interrupt")
        await process.until("accepted", "s", "m2")
    await process.kill()
    session = (await stage.verdict())["s"]
    assert session["endings"].pop("m1") == ["cancelled", None]
    assert session["endings"] == ({} if how == "cancel" else {"m2": ["done", None]})


@pytest.mark.requirement("D-faults-interrupt")
async def test_an_interrupt_cut_by_a_kill_has_cleared_the_queue_or_not(stage: Stage) -> None:
    process = await begun(stage, ("m1", "m1 wait"), ("m2", "m2"), points="interrupt.after:1:kill")
    process.send("interrupt", "s")
    await process.ended()
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m2": ["cleared", None], "m1": ["cancelled", None]}


@pytest.mark.requirement("D-faults-interrupt", "D-faults-questions")
async def test_an_interrupt_that_was_durable_closes_an_open_approval(stage: Stage) -> None:
    process = await begun(stage, ("m1", "m1 careful"))
    (key,) = await asked(process)
    process.send("mark", "s")
    await process.until("marked", "s")
    await process.kill()
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["cancelled", None]}
    assert (by_tool(session), session["questions"]) == ({"careful": ("cancelled", 0)}, {key: "cancelled"})


@pytest.mark.requirement("D-faults-close")
async def test_a_session_that_is_closed_right_after_its_recovery_is_left_sendable(stage: Stage) -> None:
    process = await begun(stage, ("m1", "m1 wait | note"), ("m2", "m2"), points="tool.note.after:1:kill")
    process.send("gate")
    await process.ended()
    process = await stage.process()
    for command in (OPEN, ("close", "s")):
        process.send(*command)
    await process.until("closed", "s")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert session["endings"] == {"m1": ["cancelled", None], "m2": ["closed", None]}
    assert by_tool(session)["note"] == ("unknown", 1)


# ── Steering ─────────────────────────────────────────────────────────────────

STEERED = [
    *("append.user.before:2", "append.user.after:2", "stream.begin:2", "stream.batch:5"),
    *("append.assistant.before:2", "append.assistant.after:2"),
]


@pytest.mark.parametrize("point", STEERED)
@pytest.mark.requirement("D-faults-steering")
async def test_a_message_that_joined_another_ends_with_it_after_a_kill(stage: Stage, point: str) -> None:
    process = await steered(stage, f"{point}:kill")
    await process.ended()  # while it lives nobody else gets its session
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"s1": ["done", None], "m1": ["done", None]}
    said = [text for role, _, text in session["said"] if role == "user"]
    assert said == ["m1 wait", "s1"]


@pytest.mark.requirement("D-faults-steering", "D-faults-interrupt")
async def test_a_message_that_joined_another_is_interrupted_with_it_after_a_kill(stage: Stage) -> None:
    process = await steered(stage, "stream.begin:2:stop")
    await process.until("stopped")
    other = await stage.process()
    other.send("mark", "s")
    await other.until("marked", "s")
    await process.kill()
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"s1": ["cancelled", None], "m1": ["cancelled", None]}


@pytest.mark.requirement("D-faults-steering", "D-faults-attempts")
async def test_a_message_that_joined_one_that_kills_its_process_fails_with_it(stage: Stage) -> None:
    process = await steered(stage, "stream.begin:2:kill")
    await process.ended()
    for _ in range(3):
        await stage.killed("stream.begin:1:kill", ("recover",))
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"s1": ["failed", "limit"], "m1": ["failed", "limit"]}


async def steered(stage: Stage, points: str) -> Process:
    """A process in which `s1` enters the loop of `m1`, when what is in the way has gone."""
    process = await begun(stage, ("m1", "m1 wait"), points=points)
    await asked_tools(process)
    process.send("submit", "s", "s1", "s1", "steer")
    await process.until("accepted", "s", "s1")
    process.send("gate")
    return process


async def asked_tools(process: Process) -> None:
    """Until the first answer, with its calls, is there."""
    while len(process.all("turn", "s")) < 2:
        await process.more()


# ── Attempts and shutdowns ───────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-attempts")
async def test_a_message_that_kills_its_process_fails_the_fourth_time_it_is_found(stage: Stage) -> None:
    """The one behind it does not wait for ever."""
    await stage.killed("stream.begin:1:kill", OPEN, ("submit", "s", "m1", "m1 note"), ("submit", "s", "m2", "m2 note"))
    for _ in range(3):
        await stage.killed("stream.begin:1:kill", ("recover",))
    session = (await stage.verdict())["s"]
    assert session["endings"] == {"m1": ["failed", "limit"], "m2": ["done", None]}


@pytest.mark.requirement("D-faults-attempts")
async def test_whoever_sends_again_what_failed_hears_why(stage: Stage) -> None:
    await stage.killed("stream.begin:1:kill", OPEN, ("submit", "s", "m1", "m1 note"))
    for _ in range(3):
        await stage.killed("stream.begin:1:kill", ("recover",))
    process = await stage.recover()
    process.send(*OPEN)
    process.send("submit", "s", "m1", "m1 note")
    await process.until("ended", "s", "m1", "failed", "limit")
    await stage.end(process)
    assert (await stage.check())["s"]["endings"] == {"m1": ["failed", "limit"]}


@pytest.mark.parametrize("times", [1, 6])
@pytest.mark.requirement("D-faults-shutdown")
async def test_a_shutdown_leaves_everything_for_the_next_process_however_often(stage: Stage, times: int) -> None:
    process = await begun(stage, ("m1", "m1 note | wait | wait | wait"), ("m2", "m2"))
    await asked_tools(process)
    for _ in range(times):
        process.send("leave")
        await process.until("left")
        assert [words[1:] for words in process.all("went on", "s") if words[0] == "m1"] in ([], [["session_closed"]])
        process.send("end")
        assert await process.ended() == 0
        process = await stage.process()
        process.send("recover")
        await process.until("recovering", ["s"])
    process.send("gate")
    await process.until("recovered")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert session["endings"] == {"m1": ["done", None], "m2": ["done", None]}


# ── Who owns a session ───────────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-owner")
async def test_the_session_of_a_killed_process_can_be_had_at_once(stage: Stage) -> None:
    """While it lives nobody else gets it, and nothing of theirs is stored."""
    owner = await begun(stage, ("m1", "m1 note wait"))
    await asked_tools(owner)
    other = await stage.process()
    for command in (OPEN, ("submit", "s", "m2", "m2")):
        other.send(*command)
    await other.until("went on", "s", "m2", "session_owned")
    await owner.kill()
    other.send("gate")
    other.send("submit", "s", "m2", "m2")
    await other.until("ended", "s", "m2", "done")
    await stage.end(other)
    session = (await stage.check())["s"]
    assert session["endings"] == {"m1": ["done", None], "m2": ["done", None]}


@pytest.mark.requirement("D-faults-owner")
async def test_a_process_that_stands_still_keeps_its_session(stage: Stage) -> None:
    owner = await begun(stage, ("m1", "m1 note"), points="append.tool.before:1:stop,stream.batch:5:stop")
    await owner.until("stopped")
    other = await stage.process()
    other.send("recover")
    await other.until("recovered")
    for command in (OPEN, ("submit", "s", "m2", "m2")):
        other.send(*command)
    await other.until("went on", "s", "m2", "session_owned")
    owner.resume()
    await owner.until("turn", "s")
    while len([line for line in owner.told if line[0] == "stopped"]) < 2:
        await owner.more()
    owner.resume()
    await owner.until("ended", "s", "m1", "done")
    await stage.end(owner)
    await stage.end(other)
    session = (await stage.check())["s"]
    assert session["endings"] == {"m1": ["done", None]}
