"""Commands end, with their output, whatever they do; and know no secrets."""

import asyncio
import gc
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.script import answer, call, until
from ore import Agent, tool
from ore.artifact import ToolCall, ToolResult
from ore.ext.tools.bash import bash
from ore.ext.tools.bash.scratch import Scratch
from ore.ext.tools.sandboxes import HostSandbox, is_secret
from ore.ledger import Buffer, MemoryStore
from ore.testing import ScriptedProvider
from peak import growth
from tools.bash.run import commands, ran


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Path]:
    """A file for pids of what must be gone; whatever is not is ended behind the test."""
    path = tmp_path / "pids"
    yield path
    for pid in path.read_text().split() if path.exists() else ():
        with suppress(ProcessLookupError):
            os.kill(int(pid), 9)


def count(path: Path) -> int:
    return len(path.read_text().split()) if path.exists() else 0


def alive(path: Path) -> list[int]:
    """Which of the processes in the file still run."""
    found = []
    for pid in path.read_text().split():
        with suppress(FileNotFoundError):
            if "(zombie)" not in Path(f"/proc/{pid}/status").read_text():
                found.append(int(pid))
    return found


# ── What comes of a command ──────────────────────────────────────────────────


async def test_a_command_gives_what_it_prints_and_its_exit_code() -> None:
    result = await ran(bash(), "echo out; echo err >&2")
    assert (result.content, result.is_error) == ("stdout:\nout\nstderr:\nerr\nexit code 0", False)


async def test_a_command_that_fails_is_an_error_with_its_output() -> None:
    result = await ran(bash(), "echo before; exit 3")
    assert result.is_error
    assert result.content == "stdout:\nbefore\nexit code 3\n\n**Error:** the command ended with exit code 3"


@pytest.mark.parametrize("cwd", [None, ".", "deep", "/"])
async def test_a_command_begins_where_it_is_told_to(tmp_path: Path, cwd: str | None) -> None:
    (tmp_path / "deep").mkdir()
    result = await ran(bash(HostSandbox(tmp_path)), "pwd", cwd=cwd)
    assert result.content.splitlines()[1] == str((tmp_path / (cwd or ".")).resolve())


@pytest.mark.parametrize("cwd", ["nowhere", "a-file", "loop", "a\0b", "x" * 300, "~nobody-of-that-name"])
async def test_a_directory_that_is_none_is_named(tmp_path: Path, cwd: str) -> None:
    (tmp_path / "a-file").touch()
    (tmp_path / "loop").symlink_to("loop")
    result = await ran(bash(HostSandbox(tmp_path)), "echo ran", cwd=cwd)
    assert result.is_error and ("cwd: expected" in result.content or "path: expected" in result.content)
    assert "stdout" not in result.content


@pytest.mark.parametrize("command", ["", "  \n"])
async def test_an_empty_command_is_refused(command: str) -> None:
    assert "expected a command" in (await ran(bash(), command)).content


@pytest.mark.requirement("B62")
async def test_a_command_has_no_input_and_no_terminal() -> None:
    result = await ran(bash(), 'cat; read x; echo "got:$x"; tty; ps -o tty= -p $$; : > /dev/tty', timeout_s=5)
    assert "got:" in result.content and "not a tty" in result.content and "/dev/tty" in result.content


async def test_output_that_is_no_text_is_readable_all_the_same() -> None:
    result = await ran(bash(), r"printf 'a\xffb\0c\xc3\xa9'")
    assert "a\ufffdb␀cé" in result.content


@pytest.mark.requirement("D-bash-inert")
async def test_what_a_command_prints_steers_no_terminal() -> None:
    """Nor does it leave its block; line ends of other systems are line ends."""
    result = await ran(bash(), r"printf 'a\033[2J\033]0;title\007\0\b\rb\tc\r\nd\302\233e```\n'; printf '\033[H' >&2")
    shown = "a␛[2J␛]0;title␇␀␈␍b\tc\nd\ufffde```"
    assert result.content == f"stdout:\n{shown}\nstderr:\n␛[H\nexit code 0"
    assert result.for_human() == f"````\n{shown}\n␛[H\n````"


async def test_people_see_that_a_command_printed_nothing() -> None:
    assert (await ran(bash(), "true")).for_human() == "```\n(no output)\n```"


def test_a_model_is_told_the_time_that_a_command_may_take() -> None:
    assert "It ends after 5 seconds unless" in bash(timeout_s=5).description
    with pytest.raises(ValueError, match="timeout_s"):
        bash(timeout_s=0)


@pytest.mark.parametrize(
    ("command", "told"),
    [("echo a\0b", "command: expected text without a NUL"), (f": {'x' * 200_000}", "write long texts to files")],
)
async def test_a_command_that_no_shell_takes_is_refused_with_what_to_do(command: str, told: str) -> None:
    result = await ran(bash(), command)
    assert result.is_error and told in result.content and len(result.content) < 1000


# ── Secrets ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-bash-secrets")
async def test_a_command_does_not_get_the_programs_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "ORE_STORE", "PGPASSWORD"):
        monkeypatch.setenv(name, "canary")
    monkeypatch.setenv("SOME_URL", "https://user:canary@host/")
    monkeypatch.setenv("HARMLESS", "fine")
    result = await ran(bash(HostSandbox(extra={"GIVEN_TOKEN": "given"})), "env")
    assert "canary" not in result.content
    assert "HARMLESS=fine" in result.content and "GIVEN_TOKEN=given" in result.content


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "MONKEYS_COUNT"])
def test_ordinary_variables_are_no_secrets(name: str) -> None:
    assert is_secret(name, "/usr/bin") == (name == "MONKEYS_COUNT")  # it has KEY in it: rather too careful


# ── Time ─────────────────────────────────────────────────────────────────────

STUBBORN = [
    "echo before; sleep 60",
    "trap '' TERM; echo before; sleep 60; sleep 60",
    "echo before; (trap '' TERM; sleep 60) & wait",
    "echo before; while :; do :; done",
    "echo before; cat <(sleep 60)",
]


@pytest.mark.requirement("B58", "D-bash-ends")
@pytest.mark.parametrize("command", STUBBORN)
async def test_at_its_time_limit_a_command_ends_with_all_it_started_and_keeps_its_output(
    command: str, pids: Path
) -> None:
    began = time.monotonic()
    result = await ran(bash(), f"echo $$ >> {pids}; {command}", timeout_s=0.5)
    assert time.monotonic() - began < 5
    assert result.is_error and "stdout:\nbefore" in result.content
    assert "took more than 0.5 s and was ended" in result.content
    await until(lambda: not alive(pids))


@pytest.mark.requirement("D-bash-ends")
async def test_a_command_whose_call_is_cancelled_ends_with_all_it_started(pids: Path) -> None:
    agent = Agent(
        ScriptedProvider(call("bash", f'{{"command": "echo $$ >> {pids}; sleep 60 & echo $! >> {pids}; wait"}}')),
        tools=[bash()],
    )
    async with asyncio.timeout(10), agent.session("s", store=MemoryStore()) as session:
        run = session.stream("go")
        await until(lambda: count(pids) == 2)
        await session.interrupt()
        assert (await run.result()).status == "cancelled"
        await until(lambda: not alive(pids))


BURST = "trap '' TERM; echo before; for i in $(seq 200); do sleep 60 & echo $! >> {pids}; done; wait"
KEPT = "echo before; sleep 60 & echo $! >> {pids}; disown; exec sleep 60"


@pytest.mark.requirement("D-bash-ends")
async def test_two_hundred_children_and_a_thread_that_hangs_end_at_their_time_and_the_session_goes_on(
    pids: Path,
) -> None:
    """The children ignore SIGTERM; one that was left keeps the pipes."""
    free = threading.Event()

    @tool(timeout_s=0.7)
    def hang() -> str:
        """Block the thread."""
        free.wait(60)
        return "late"

    asked = [
        ToolCall(id=f"c{n}", name="bash", arguments=json.dumps({"command": command.format(pids=pids), "timeout_s": 1}))
        for n, command in enumerate((BURST, KEPT))
    ]
    provider = ScriptedProvider([*asked, *call("hang", id="c2")], answer("ended"), answer("still here"))
    async with asyncio.timeout(15), Agent(provider, tools=[bash(), hang]).session("s", store=MemoryStore()) as session:
        assert (await session.run("go")).text == "ended"
        burst, kept, hung = (one for one in session.turns[2].artifacts if isinstance(one, ToolResult))
        for result in (burst, kept):
            assert result.status == "error" and result.content.startswith("stdout:\nbefore\nended at its time limit")
        assert hung.status == "unknown" and "timed out after 0.7 s" in hung.content
        assert (await session.run("and now?")).text == "still here"
        await until(lambda: not alive(pids))
    free.set()


@pytest.mark.requirement("D-bash-leaves-nothing")
def test_a_number_that_is_somebody_elses_by_now_is_left_alone() -> None:
    """A group that ended is nothing to end, and its number may be given to another one."""
    scratch, state = Scratch(), Buffer()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        scratch.keep(state, other.pid)
        del state
        gc.collect()
        assert other.poll() is None
        other.kill()


BACKGROUND = ["sleep 30 & echo hi", "(sleep 30; echo late) & echo hi", "setsid sleep 30 & echo hi"]


@pytest.mark.requirement("B58")
@pytest.mark.parametrize("command", BACKGROUND)
async def test_what_is_left_in_the_background_holds_nobody_up_though_it_keeps_the_pipes(
    command: str, pids: Path
) -> None:
    began = time.monotonic()
    result = await ran(bash(), f"{command}; echo $! >> {pids}")
    assert time.monotonic() - began < 2
    assert (result.content, result.is_error) == ("stdout:\nhi\nexit code 0", False)


@pytest.mark.requirement("D-bash-leaves-nothing")
async def test_what_is_left_in_the_background_ends_with_the_session(pids: Path) -> None:
    await ran(bash(), f"sleep 30 & echo $! >> {pids}")
    for _ in range(3):
        gc.collect()
    await until(lambda: not alive(pids))


async def test_many_commands_at_once_all_end() -> None:
    """Also those that wait for their turn."""
    async with asyncio.timeout(18):
        results = await commands(bash(), *({"command": f"sleep 0.05; echo {n}", "timeout_s": 10} for n in range(200)))
    assert [result.content for result in results] == [f"stdout:\n{n}\nexit code 0" for n in range(200)]


# ── Output of any length ─────────────────────────────────────────────────────


@pytest.mark.requirement("D-bash-memory")
async def test_sixty_megabytes_of_output_cost_the_host_no_megabyte() -> None:
    await ran(bash(), "yes abcdefghijklmnopqrstuvwxyz0123456789 | head -c 1000000")
    with growth() as grown_bytes:
        result = await ran(bash(), "yes abcdefghijklmnopqrstuvwxyz0123456789 | head -c 60000000; echo end")
        assert grown_bytes() < 1 << 20
    assert "of 60000004 bytes" in result.content and len(result.content) < 60_000
    assert "end\n[stdout is cut" in result.content


@pytest.mark.requirement("D-bash-leaves-nothing")
async def test_the_whole_output_is_in_a_private_file_that_goes_with_the_session() -> None:
    path = await checked(whole_file)
    gc.collect()
    assert not path.parent.exists()


async def checked(check: Callable[[Path], None], command: str = "seq 100000; exit 1") -> Path:
    """Check the file of a long output while its session is there."""
    provider = ScriptedProvider(call("bash", json.dumps({"command": command})), [asyncio.Event()])
    async with Agent(provider, tools=[bash()]).session("s", store=MemoryStore()) as session:
        run = session.stream("go")
        await until(lambda: len(provider.invocations) == 2)
        [name] = re.findall(r"the rest is in (\S+)]", session.turns[2].artifacts[0].for_model())
        check(Path(name))
        await run.cancel()
    return Path(name)


def whole_file(path: Path) -> None:
    assert path.read_text() == "".join(f"{n}\n" for n in range(1, 100_001))
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("seq 3000", "".join(f"{n}\n" for n in range(1, 3001)).encode()),
        ("head -c 60000 /dev/zero | tr '\\0' x", b"x" * 60_000),
        ("head -c 30000 /dev/zero | tr '\\0' '\\377'", b"\xff" * 30_000),
    ],
)
async def test_whatever_is_cut_is_said_to_be_and_is_in_the_file(command: str, whole: bytes) -> None:
    """Too many lines, too many bytes, and bytes that take more room as signs."""
    await checked(lambda path: check_equal(path.read_bytes(), whole), command)


def check_equal(got: bytes, expected: bytes) -> None:
    assert got == expected


async def test_a_command_that_prints_for_ever_ends_and_does_not_fill_the_disk() -> None:
    result = await ran(bash(), "yes", timeout_s=1)
    assert result.is_error and "was ended" in result.content and len(result.content) < 60_000


async def test_much_on_both_streams_is_no_deadlock() -> None:
    result = await ran(bash(), "echo a; head -c 200000 /dev/zero | tr '\\0' x >&2; exit 3")
    assert "stdout:\na\n" in result.content and "of 200000 bytes" in result.content
    assert "exit code 3" in result.content


async def test_a_command_shows_how_it_gets_on() -> None:
    agent = Agent(
        ScriptedProvider(call("bash", '{"command": "for i in 1 2 3 4 5 6 7; do echo step $i; sleep 0.1; done"}'), []),
        tools=[bash()],
    )
    async with agent.stream("go") as run:
        told = [entry.event.description async for entry in run.events("activity")]  # type: ignore[union-attr]
    assert any(one and one.startswith("step ") for one in told)
