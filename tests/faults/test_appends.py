"""Many processes write one file."""

import pytest

from faults.stage import Stage


@pytest.mark.slow
@pytest.mark.requirement("D-faults-appends")
async def test_four_processes_append_three_hundred_turns_each_and_none_fails_or_is_lost(stage: Stage) -> None:
    processes = [await stage.process() for _ in range(4)]
    for number, process in enumerate(processes):
        process.send("append", f"s{number}", 300)
    for number, process in enumerate(processes):
        await process.until("appended", f"s{number}")
        await stage.end(process)
    sessions = await stage.check()
    assert {name: len(session["turns"]) for name, session in sessions.items()} == {f"s{n}": 300 for n in range(4)}
