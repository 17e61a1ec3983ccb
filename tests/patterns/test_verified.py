"""An answer counts only when verifiers find nothing wrong; what they find goes back to the model."""

import asyncio
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ore import Agent
from ore.artifact import Text, ToolCall
from ore.errors import InputError, LimitError, OverloadedError, ToolError
from ore.ext.patterns import ExecVerifier, FunctionVerifier, Standing, Verification, Verified, verified, verify_all
from ore.ledger import Buffer, EndingRecord, MemoryStore, Message, Role, State, TurnRecord
from ore.session import Manager
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.testing.sendable import check_sendable
from ore.tool import Execution, tool
from processes import ended, is_alive
from transforms.histories import texts


def last_text(state: State) -> str:
    return texts(state.turns)[-1]


def says(word: str) -> FunctionVerifier:
    """Fails until the answer has the word."""
    return FunctionVerifier(f"says {word}", lambda state: None if word in last_text(state) else f"say {word}")


@pytest.mark.requirement("D-verified")
async def test_what_is_wrong_goes_back_as_a_user_s_turn_until_an_answer_passes() -> None:
    provider = ScriptedProvider(*[[Text(content=text)] for text in ("no", "yes", "yes please")])
    agent = Agent(provider, pattern=verified(says("yes"), says("please")))
    async with agent.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        result = await session.run("may I?")
    assert result.text == "yes please"
    assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT] * 3
    first, second = texts(session.turns)[2], texts(session.turns)[4]
    assert "- says please: failed\n- says yes: failed" in first and "## says yes\n\nsay yes" in first
    assert "- says please: failed\n- says yes: passed" in second and "## says yes" not in second
    check_sendable(session.turns)
    check_order(seen.entries)


@pytest.mark.requirement("D-verified")
async def test_the_runs_are_bounded_and_what_failed_last_is_said() -> None:
    provider = ScriptedProvider([Text(content="no")], repeat=True)
    agent = Agent(provider, pattern=verified(says("yes"), FunctionVerifier("fine", lambda state: None), retries=3))
    async with agent.session("s", store=MemoryStore()) as session, Recorder(session.handle) as seen:
        with pytest.raises(LimitError, match=r"4 runs.*says yes$"):
            await session.run("may I?")
    assert len(provider.invocations) == 4
    check_sendable(session.turns)
    check_order(seen.entries)


@pytest.mark.requirement("D-verified")
async def test_tools_work_inside_each_run_and_the_check_sees_what_they_did() -> None:
    made: list[str] = []

    @tool
    async def write(name: str) -> str:
        """Write a file."""
        made.append(name)
        return "written"

    provider = ScriptedProvider(
        [ToolCall(id="1", name="write", arguments='{"name": "a"}')],
        [Text(content="done")],
        [ToolCall(id="1", name="write", arguments='{"name": "b"}')],
        [Text(content="really done")],
    )
    check = FunctionVerifier("files", lambda state: None if "b" in made else "b is missing")
    result = await Agent(provider, tools=[write], pattern=verified(check)).run("write a and b")
    assert (result.text, made) == ("really done", ["a", "b"])


@pytest.mark.requirement("D-verified-stops")
async def test_a_verifier_that_could_not_find_out_ends_it_at_once() -> None:
    def broken(state: State) -> str | None:
        raise LookupError("no such folder")

    provider = ScriptedProvider([Text(content="no")], repeat=True)
    agent = Agent(provider, pattern=verified(says("yes"), FunctionVerifier("build", broken)))
    with pytest.raises(
        ToolError, match=r"- build: error\n- says yes: failed\n\n## build\n\nLookupError: no such folder"
    ):
        await agent.run("may I?")
    assert len(provider.invocations) == 1


@pytest.mark.requirement("D-verified-stops")
async def test_a_failure_of_the_model_ends_it_at_once() -> None:
    provider = ScriptedProvider([Text(content="no")], [OverloadedError("busy")])
    with pytest.raises(OverloadedError):
        await Agent(provider, pattern=verified(says("yes"))).run("may I?")
    assert len(provider.invocations) == 2


@pytest.mark.requirement("D-verified-parallel")
async def test_verifiers_work_at_the_same_time_and_are_reported_by_name() -> None:
    """Those in threads, those that wait, and commands: each waits for the others to have begun."""
    barrier = asyncio.Barrier(2)
    threads = threading.Barrier(2)

    async def meet(state: State) -> str | None:
        async with asyncio.timeout(5):
            await barrier.wait()
        return None

    def meet_in_a_thread(state: State) -> str | None:
        threads.wait(5)
        return "seen"

    found = await verify_all(
        [
            FunctionVerifier("d", meet),
            FunctionVerifier("b", meet_in_a_thread),
            FunctionVerifier("a", meet),
            FunctionVerifier("c", meet_in_a_thread),
        ],
        Buffer(),
    )
    assert [(one.name, one.standing.value, one.report) for one in found] == [
        ("a", "passed", ""),
        ("b", "failed", "seen"),
        ("c", "failed", "seen"),
        ("d", "passed", ""),
    ]


async def test_a_function_that_gives_no_text_could_not_find_out() -> None:
    wrong: Any = lambda state: True  # noqa: E731  # a value of another kind
    (found,) = await verify_all([FunctionVerifier("odd", wrong)], Buffer())
    assert found.standing is Standing.ERROR and "bool" in found.report


async def test_long_reports_are_shortened_for_the_model() -> None:
    provider = ScriptedProvider([Text(content="no")], [Text(content="yes")])
    check = FunctionVerifier(
        "long", lambda state: None if "yes" in last_text(state) else "begin" + "x" * 50_000 + "end"
    )
    async with Agent(provider, pattern=verified(check)).session("s", store=MemoryStore()) as session:
        await session.run("go")
    told = texts(session.turns)[2]
    assert len(told) < 9_000 and "begin" in told and "end" in told and "characters left out" in told


@pytest.mark.requirement("D-verified-resumes")
async def test_after_a_crash_the_last_answer_is_checked_not_asked_for_again() -> None:
    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="may I?"),)))
    writer = await store.take("s")
    assert await store.next(writer, mark=True)
    state = Buffer()
    for role, text in ((Role.USER, "may I?"), (Role.ASSISTANT, "no")):
        await store.append(writer, [TurnRecord(turn=state.add(role, Text(content=text)), message="m")])
    provider = ScriptedProvider([Text(content="yes")])
    manager = Manager(Agent(provider, pattern=verified(says("yes"))).spec(), store)
    (stream,) = await manager.recover()
    async with asyncio.timeout(5):
        await stream.idle()
    assert [text[:20] for text in texts(stream.turns)] == ["may I?", "no", "Your answer was chec", "yes"]
    assert len(provider.invocations) == 1
    known = await store.submit("s", Message(id="m", artifacts=(Text(content="may I?"),)))
    assert isinstance(known, EndingRecord) and known.outcome == "done"
    await manager.aclose()


@pytest.mark.parametrize("verifiers", [(), (says("a"), says("a"))])
def test_verifiers_have_names_that_differ_and_there_is_one(verifiers: tuple[FunctionVerifier, ...]) -> None:
    with pytest.raises(InputError):
        verified(*verifiers)


async def test_one_verified_pattern_can_be_inside_another() -> None:
    provider = ScriptedProvider(*[[Text(content=text)] for text in ("no", "yes", "yes please")])
    pattern = verified(says("please"), inner=verified(says("yes")))
    result = await Agent(provider, pattern=pattern).run("may I?")
    assert result.text == "yes please"
    assert isinstance(pattern(), Verified)


# ── Commands ─────────────────────────────────────────────────────────────────


def python(program: str, **more: Any) -> ExecVerifier:
    return ExecVerifier("check", [sys.executable, "-c", program], **more)


async def found_by(verifier: ExecVerifier) -> Verification:
    async with asyncio.timeout(15):
        return await verifier.verify(Buffer())


@pytest.mark.requirement("D-exec-verifier")
async def test_a_command_passes_with_status_zero_and_fails_with_what_it_printed(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("here")
    assert await found_by(python("print(open('data').read())", directory=tmp_path)) == Verification(
        name="check", standing=Standing.PASSED
    )
    failed = await found_by(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert failed.standing is Standing.FAILED
    assert "status 3" in failed.report and "out" in failed.report and "err" in failed.report


@pytest.mark.requirement("D-exec-verifier")
async def test_a_command_that_is_not_there_or_takes_too_long_could_not_find_out(tmp_path: Path) -> None:
    missing = await found_by(ExecVerifier("check", ["no-such-program"]))
    assert missing.standing is Standing.ERROR and "could not be started" in missing.report
    nowhere = await found_by(python("", directory=tmp_path / "missing"))
    assert nowhere.standing is Standing.ERROR
    slow = await found_by(python("import signal; signal.pause()", timeout_s=0.3))
    assert slow.standing is Standing.ERROR and "longer than 0.3 s" in slow.report


@pytest.mark.requirement("D-exec-verifier")
async def test_what_a_command_leaves_behind_holds_nothing_up_and_is_ended() -> None:
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print('pid', child.pid)\nsys.exit(1)"
    )
    found = await found_by(python(program))
    pid = int(found.report.split("pid ")[1].split()[0])
    await asyncio.to_thread(ended, pid)  # it was told to end before the verifier returned


@pytest.mark.requirement("D-exec-verifier")
async def test_a_command_gets_no_secrets_no_terminal_and_not_too_much_of_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_API_KEY", "canary")
    monkeypatch.setenv("PLAIN", "fine")
    program = (
        "import os, sys; print(len(sys.stdin.read()), os.environ.get('MY_API_KEY'), os.environ.get('PLAIN'));"
        "print('x' * 200_000); print('the end'); sys.exit(1)"
    )
    found = await found_by(python(program))
    assert "canary" not in found.report and found.report.rstrip("`\n").endswith("the end")
    assert len(found.report) < 51_000
    short = await found_by(python("import os, sys; print(sorted(os.environ)); sys.exit(1)", environment={"ONLY": "1"}))
    assert "'ONLY'" in short.report and "PLAIN" not in short.report


async def test_cancelling_ends_the_command(tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    program = f"import os, signal; print(os.getpid(), file=open({str(told)!r}, 'w'), flush=True); signal.pause()"
    task = asyncio.ensure_future(python(program).verify(Buffer()))
    pid = int(await asyncio.to_thread(told.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(5):
            await task
    assert not is_alive(pid)


async def test_a_sandbox_runs_it_by_its_own_rules() -> None:
    commands: list[tuple[str, str | None]] = []

    class Inside:
        name = "inside"

        async def run(self, command: str, *, directory: str | None = None) -> Execution:
            commands.append((command, directory))
            return Execution(stdout="1 failed", stderr="", exit_code=1)

    found = await ExecVerifier("tests", ["pytest", "-k", "a b"], directory="src", sandbox=Inside()).verify(Buffer())
    assert commands == [("pytest -k 'a b'", "src")]
    assert found.standing is Standing.FAILED and "1 failed" in found.report


def test_a_command_is_a_list_of_words() -> None:
    with pytest.raises(TypeError, match="as a list"):
        ExecVerifier("check", "pytest -q")
