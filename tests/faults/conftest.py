"""One zygote for all fault tests, and a stage for each."""

import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from faults.stage import Stage, staged

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def zygote() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ore-") as folder:  # a short path: sockets take no long ones
        socket = Path(folder) / "s"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
        words = [sys.executable, "-W", "error", "-m", "faults.zygote", str(socket)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdin is not None and process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield socket
            process.stdin.close()
            process.wait(10)


@pytest_asyncio.fixture
async def stage(tmp_path: Path, zygote: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path, zygote) as stage:
        yield stage
