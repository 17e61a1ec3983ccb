"""A border that the kernel keeps: nothing outside of the folder, no network, no secrets; or no command at all."""

import asyncio
import fcntl
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from ore.errors import ToolError
from ore.ext.tools.bash import bash
from ore.ext.tools.sandboxes import BubblewrapSandbox, Confinement, HostSandbox
from ore.tool import Sandboxes
from tools.bash.run import ran


def _works() -> bool:
    """Whether bubblewrap is installed, and the kernel lets it build a border."""
    words = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return shutil.which("bwrap") is not None and subprocess.run(words, capture_output=True).returncode == 0


needs_bubblewrap = pytest.mark.skipif(not _works(), reason="bubblewrap is not installed, or the kernel refuses it")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder inside; beside it stands a secret."""
    (tmp_path / "secret").write_text("the secret")
    made = tmp_path.resolve() / "work"
    made.mkdir()
    (made / "way-out").symlink_to(tmp_path / "secret")
    return made


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
async def test_inside_a_command_works_as_outside(folder: Path) -> None:
    result = await ran(bash(BubblewrapSandbox(folder)), "pwd; echo x > made; cat made; echo err >&2; exit 3")
    where = folder
    assert result.content.startswith(f"stdout:\n{where}\nx\nstderr:\nerr\nexit code 3")
    assert (folder / "made").exists()


OUTSIDE = [
    "cat ../secret",
    "cat way-out",
    "cat {secret}",
    "echo x > /usr/x",
    "ls /home",
    "cat /etc/passwd",
    "ls /etc/ssl/private",
    "cat /proc/1/environ | tr '\\0' '\\n' | grep ^ORE_CANARY",
    "ls {home}",
]


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
@pytest.mark.parametrize("command", OUTSIDE)
async def test_outside_of_the_folder_there_is_nothing(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORE_CANARY", "canary")
    command = command.format(secret=folder.parent / "secret", home=Path.home())
    result = await ran(bash(BubblewrapSandbox(folder)), command)
    assert result.is_error
    assert "the secret" not in result.content and "canary" not in result.content
    assert not (folder.parent / "x").exists()


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
@pytest.mark.parametrize("network", [False, True])
async def test_without_leave_there_is_no_network(folder: Path, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"
        result = await ran(bash(BubblewrapSandbox(folder, confinement=Confinement(network=network))), command)
    assert result.is_error is not network
    assert ("reached" in result.content) is network


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
async def test_memory_and_files_have_limits(folder: Path) -> None:
    tool = bash(BubblewrapSandbox(folder, confinement=Confinement(memory_bytes=256 << 20, file_bytes=1 << 20)))
    greedy = await ran(tool, "head -c 600000000 /dev/zero | tail -c 500000000 | wc -c", timeout_s=10)
    assert "500000000" not in greedy.content
    long = await ran(tool, "head -c 5000000 /dev/zero > long; ls -s long", timeout_s=10)
    assert long.is_error or (folder / "long").stat().st_size <= 1 << 20


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
async def test_what_is_in_memory_has_limits_too_and_devices_are_no_place_to_write(folder: Path) -> None:
    tool = bash(BubblewrapSandbox(folder, confinement=Confinement(tmp_bytes=1 << 20)))
    fill = "for where in /tmp /dev/shm /dev; do head -c 3000000 /dev/zero > $where/x; done"
    result = await ran(tool, f"{fill}; wc -c < /tmp/x; wc -c < /dev/shm/x; echo x > /dev/null && echo null")
    assert result.content.count("No space left") == 2 and "/dev/x: Read-only file system" in result.content
    assert [int(line) <= 1 << 20 for line in result.content.splitlines() if line.isdigit()] == [True, True]
    assert "\nnull\n" in result.content


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
async def test_what_is_left_in_the_background_ends_with_its_command(folder: Path) -> None:
    result = await ran(
        bash(BubblewrapSandbox(folder)),
        "(exec 9>held; flock 9; : > has-it; sleep 60) & until [ -e has-it ]; do :; done; echo hi",
    )
    assert result.content == "stdout:\nhi\nexit code 0"
    await is_free(folder / "held")


async def is_free(path: Path) -> None:
    """Return when a lock is free again: whoever held it is gone."""
    with path.open() as file:
        await asyncio.to_thread(fcntl.flock, file, fcntl.LOCK_EX)


@needs_bubblewrap
@pytest.mark.requirement("D-bubblewrap")
async def test_at_its_end_everything_inside_ends(folder: Path) -> None:
    """Also what made a session of its own to get away."""
    hold = "setsid sh -c 'exec 9>held; flock 9; : > has-it; sleep 60' &"
    command = f"{hold} until [ -e has-it ]; do :; done; echo held; sleep 60"
    result = await ran(bash(BubblewrapSandbox(folder)), command, timeout_s=1)
    assert result.is_error and "was ended" in result.content and "stdout:\nheld\n" in result.content
    await is_free(folder / "held")


@pytest.mark.requirement("D-sandbox-refuses")
def test_a_border_around_everything_is_none() -> None:
    with pytest.raises(ValueError, match="which is everything"):
        BubblewrapSandbox(Path("/"))


@pytest.mark.requirement("D-sandbox-refuses")
async def test_without_bubblewrap_no_command_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is never less protection than asked for."""
    monkeypatch.setenv("PATH", os.fspath(folder))
    result = await ran(bash(BubblewrapSandbox(folder)), "echo ran > made")
    assert result.is_error and "bwrap, which is not installed" in result.content
    assert not (folder / "made").exists()


@pytest.mark.requirement("D-sandbox-refuses")
@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "way-out", "a/../../secret"])
def test_paths_do_not_lead_out(folder: Path, path: str) -> None:
    with pytest.raises(ToolError, match="leads out of it"):
        BubblewrapSandbox(folder).resolve_path(path)


@pytest.mark.requirement("D-sandbox-refuses")
def test_a_sandbox_that_nobody_knows_is_an_error(folder: Path) -> None:
    known = Sandboxes(HostSandbox(folder), BubblewrapSandbox(folder))
    with pytest.raises(ToolError, match="there are: 'host', 'bubblewrap'"):
        known.lookup("bubblewarp")
