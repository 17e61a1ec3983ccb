"""What extensions put into turns is read again as what it was."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ore import Agent
from ore.app import open_store
from ore.artifact import Artifact, Text, Unknown
from ore.ext.transforms.compaction import Boundary, Compaction, compact
from ore.ext.transforms.manifest import ContextManifest, ContextManifests
from ore.testing import ScriptedProvider


class Poll(Artifact, frozen=True, kw_only=True, tag="x_poll"):
    question: str


@pytest.mark.requirement("D-artifact-kinds")
@pytest.mark.parametrize("url", ["sqlite:{}/ore.db", "json:{}/threads"])
async def test_stores_by_name_know_the_kinds_of_extensions(tmp_path: Path, url: str) -> None:
    store = open_store(url.format(tmp_path))
    agent = Agent(
        ScriptedProvider([Text(content="hello")], [Text(content="a summary")]),
        extensions=[Compaction(), ContextManifests()],
    )
    async with agent.session("s", store=store) as session:
        await session.run("hi")
        await compact(session.handle)
        before = list(session.turns)
    stored = await store.load("s")
    assert list(stored.turns) == before
    kinds = [type(artifact) for turn in stored.turns for artifact in turn.artifacts]
    assert ContextManifest in kinds and Boundary in kinds and Unknown not in kinds
    shown = [artifact.for_human() for turn in stored.turns for artifact in turn.artifacts]
    assert any(text.startswith("[sent: about ") for text in shown)
    assert "[compacted: the model is not shown 2 turns any more]" in shown
    await store.aclose()


@pytest.mark.requirement("D-artifact-kinds")
async def test_and_those_of_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="poll", value=f"{Poll.__module__}:Poll", group="ore.artifacts")
    monkeypatch.setattr(EntryPoint, "load", lambda self: Poll)
    monkeypatch.setattr(
        "ore.app.resolve.entry_points", lambda **words: [point] if words == {"group": point.group} else []
    )
    store = open_store(f"sqlite:{tmp_path}/ore.db")
    agent = Agent(ScriptedProvider([Poll(question="why?")]))
    async with agent.session("s", store=store) as session:
        await session.run("hi")
    assert Poll(question="why?") in (await store.load("s")).turns[-1].artifacts
    await store.aclose()
