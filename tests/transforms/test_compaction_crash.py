"""A process that dies in the middle of compacting leaves a conversation that goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ore.artifact import Text
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.transforms.compaction import boundary_of
from ore.ledger import Role
from ore.session import Manager
from ore.testing.sendable import check_sendable
from transforms.narrow import Narrow
from transforms.sessions import agent, shown

COUNT = 16
"""Messages; behind the tenth the conversation is too long for its window."""

TESTS = Path(__file__).parents[1]


def talk(folder: Path, points: str = "") -> tuple[int, list[str]]:
    """How a process ended, and the messages that had ended by then."""
    environment = os.environ | {"PYTHONPATH": str(TESTS), "ORE_FAILPOINTS": points}
    words = [sys.executable, "-m", "transforms.compacting_process", str(folder), str(COUNT)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, done.stdout.split()


@pytest.mark.slow
@pytest.mark.requirement("D-compaction-crash")
@pytest.mark.parametrize("point", ["summary.batch", "append.system.before", "append.system.after"])
async def test_killed_while_it_compacts_it_goes_on_in_the_next_process(tmp_path: Path, point: str) -> None:
    code, ended = talk(tmp_path, f"{point}:1:kill")
    assert code == -signal.SIGKILL
    assert 8 < len(ended) < COUNT
    assert talk(tmp_path) == (0, [f"m{n}" for n in range(COUNT)])
    manager = Manager(agent(Narrow(400)), SqliteStore(tmp_path / "ore.db"))
    async with await manager.attach("s") as stream:
        check_sendable(shown(stream))
        said = [turn.artifacts[0] for turn in stream.turns if turn.role is Role.USER]
        assert [text.content.split()[1] for text in said if isinstance(text, Text)] == [str(n) for n in range(COUNT)]
        assert len([turn for turn in stream.turns if turn.role is Role.ASSISTANT]) == COUNT
        assert any(boundary_of(turn) for turn in stream.turns)
    await manager.aclose()
