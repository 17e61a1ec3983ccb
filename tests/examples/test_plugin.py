"""A distribution out of this tree adds six things, and not a line of ore knows of it."""

import asyncio
import importlib
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.command import COMMAND, call, delta, read_until, script
from examples.plugin import installed, with_plugin
from ore.ledger import Store
from ore.testing.contracts import Check, StoreBench, store_checks

pytestmark = pytest.mark.slow  # processes, and pip

CHART = re.compile("lisbon [▁▂▃▄▅▆▇█]{24}")


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def ore(plugin: Path, tmp_path: Path) -> Any:
    """The command, in a folder of its own, with the plugin installed."""

    def run(*words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, **with_plugin(plugin), "ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}"}
        return subprocess.run(
            [COMMAND, *words], cwd=tmp_path, env=environment, input=stdin, capture_output=True, text=True, timeout=100
        )

    return run


@pytest.mark.parametrize("store", ["sqlite:ore.db", "json:sessions", "logbook:log.jsonl"])
def test_its_provider_streams_its_artifact_which_every_store_gives_back(ore: Any, store: str) -> None:
    words = ["--model", "tides:lisbon", "--store", store, "--session", "a"]
    done = ore("run", "--events", *words, "When?")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    pieces = [event["heights_m"] for event in events if event["kind"] == "tide_chart_delta"]
    (chart,) = [event for event in events if event["kind"] == "tide_chart"]
    assert [len(piece) for piece in pieces] == [6] * 4
    assert [height for piece in pieces for height in piece] == chart["heights_m"]

    again = ore("run", *words, "And now?")
    assert (again.returncode, again.stdout) == (0, "High water at lisbon: 03:30.\n"), again.stderr
    shown = ore("sessions", "show", "a", "--store", store)
    assert len(CHART.findall(shown.stdout)) == 2, shown.stderr
    turns = json.loads(ore("sessions", "show", "a", "--json", "--store", store).stdout)["turns"]
    assert [artifact["kind"] for artifact in turns[1]["artifacts"]][:2] == ["text", "tide_chart"]


def test_without_the_plugin_its_artifact_is_kept_as_it_is(ore: Any, tmp_path: Path) -> None:
    ore("run", "--model", "tides:lisbon", "--session", "a", "When?")
    bare = {**os.environ, "ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}"}
    model = script(tmp_path, [delta("ok")])
    words = ["run", "--model", model, "--session", "a", "On?"]
    done = subprocess.run([COMMAND, *words], env=bare, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
    assert CHART.search(ore("sessions", "show", "a").stdout)


def test_its_tool_is_there_by_name_for_its_own_provider_and_for_others(ore: Any, tmp_path: Path) -> None:
    done = ore("run", "--model", "tides:porto", "--tool", "tides", "--session", "a", "When?")
    assert (done.returncode, done.stdout) == (0, "High water at porto: 03:00.\n"), done.stderr
    assert "← 3.0" in ore("sessions", "show", "a").stdout
    model = script(tmp_path, [call("high_water", port="atlantis")], [delta("No such port.")])
    other = ore("run", "--model", model, "--tool", "tides", "--session", "b", "When?")
    assert other.stdout == "No such port.\n", other.stderr
    assert "expected 'lisbon', 'porto' or 'brest'" in ore("sessions", "show", "b").stdout.lower()


def test_its_command_stands_beside_ores_own(ore: Any, tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Hello.")])
    lines = "/tide\n/tide lisbon\n/tid porto\n/help\nhi\n"
    done = ore("chat", "--plain", "--model", model, "--session", "a", stdin=lines)
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert "ore: usage: /tide lisbon | porto | brest\n" in done.stderr
    assert CHART.search(done.stderr)
    assert "did you mean /tide?" in done.stderr
    assert "- /tide: how high the water is today" in done.stderr
    assert json.loads(ore("sessions", "show", "a", "--json").stdout)["metadata"]["tides.port"] == "lisbon"


def test_its_conduit_serves_beside_ores_own_on_the_same_sessions(plugin: Path, tmp_path: Path) -> None:
    words = ["serve", "--conduit", "http:0", "--conduit", "lines:0", "--model", "tides:brest", "--store"]
    environment = {**os.environ, **with_plugin(plugin)}
    command: list[str | Path] = [COMMAND, *words, f"logbook:{tmp_path / 'log.jsonl'}"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
        try:
            said = read_until(process.stderr, b"\n")
            said += b"" if said.count(b"\n") > 1 else read_until(process.stderr, b"\n")
            port, url = (re.search(mark, said.decode()) for mark in (r"lines on \S+:(\d+)", r"listening on (\S+)"))
            assert port and url
            with socket.create_connection(("127.0.0.1", int(port[1])), timeout=60) as line:
                line.sendall(b"both\nWhen?\n")
                heard = b""
                while not heard.endswith("▅\n".encode()) and heard.count(b"\n") < 3:
                    heard += line.recv(4096)
            assert heard.decode().startswith("session both\nHigh water at brest: 05:00.\nbrest ")
            turns = httpx.get(f"{url[1]}/sessions/both/turns", timeout=60).json()
            assert [artifact["kind"] for artifact in turns[1]["artifacts"]][:2] == ["text", "tide_chart"]
            process.terminate()
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_what_it_does_not_have_is_said_with_what_it_has(ore: Any) -> None:
    done = ore("run", "--model", "tides:atlantis", "When?")
    assert done.returncode == 2
    assert "expected one of lisbon, porto, brest, got 'atlantis'" in done.stderr
    assert "tides" in ore("run", "--model", "tidse:lisbon", "When?").stderr
    assert "lines" in ore("serve", "--conduit", "lins", "--model", "tides:brest").stderr


@pytest.fixture
def logbook(plugin: Path) -> Iterator[Any]:
    """The class of its store, in this process."""
    sys.path.insert(0, str(plugin))
    try:
        yield importlib.import_module("ore_tides.logbook").Logbook
    finally:
        sys.path.remove(str(plugin))
        for name in [name for name in sys.modules if name.startswith("ore_tides")]:
            del sys.modules[name]


class LogbookBench:
    """Reopening means another object, as in another process."""

    def __init__(self, folder: Path, make: Any) -> None:
        self.folder = folder
        self.make = make
        self.made: list[Any] = []

    async def fresh(self) -> Store:
        return self._open(self.folder / f"{len(self.made)}.jsonl")

    async def reopen(self, store: Any) -> Store:
        await store.aclose()
        return self._open(store.path)

    def _open(self, path: Path) -> Store:
        store: Store = self.make(path)
        self.made.append(store)
        return store


@pytest.fixture
async def bench(logbook: Any, tmp_path: Path) -> AsyncIterator[StoreBench]:
    bench = LogbookBench(tmp_path, logbook)
    yield bench
    for store in bench.made:
        await store.aclose()


@pytest.mark.parametrize(("name", "check"), store_checks(), ids=[name for name, _ in store_checks()])
async def test_its_store_keeps_the_promises_of_every_store(bench: StoreBench, name: str, check: Check) -> None:
    async with asyncio.timeout(100):
        await check(bench)


async def test_half_a_line_that_a_crash_left_was_never_said(logbook: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    store = logbook(path)
    await store.create("a", {"fact": "1"})
    await store.aclose()
    with path.open("ab") as file:
        file.write(b'["create","b",{"fa')
    store = logbook(path)
    assert [summary.id for summary in (await store.list()).threads] == ["a"]
    await store.create("c", {})
    await store.aclose()
    store = logbook(path)
    assert [summary.id for summary in (await store.list()).threads] == ["c", "a"]
    await store.aclose()
