"""Several models: one answers when another cannot."""

import json
from pathlib import Path

import pytest

from ore import Agent, Spec
from ore.errors import AuthenticationError, InputError, ModelNotFoundError


def script(folder: Path, name: str, *items: object) -> str:
    path = folder / name
    path.write_text(json.dumps({"calls": [list(items)], "repeat": True}))
    return f"scripted:{path}"


@pytest.mark.requirement("D-fallback")
async def test_several_names_are_asked_one_after_the_other(tmp_path: Path) -> None:
    full = script(tmp_path, "full.json", {"kind": "text_delta", "content": "I w"}, {"error": "overloaded"})
    fine = script(tmp_path, "fine.json", {"kind": "text_delta", "content": "I will."})
    result = await Agent([full, fine]).run("Will you?")
    assert result.text == "I will."
    assert (await Agent().with_(model=[fine]).run("Will you?")).text == "I will."


@pytest.mark.requirement("D-fallback")
@pytest.mark.parametrize("named", [None, "elsewhere"])
async def test_the_turn_says_which_model_answered_also_where_the_first_did(tmp_path: Path, named: str | None) -> None:
    """By its whole name, whatever the agent's spec has."""
    fine = script(tmp_path, "fine.json", {"kind": "text_delta", "content": "I will."})
    full = script(tmp_path, "full.json", {"error": "overloaded"})
    for models in ([fine, full], [full, fine], [fine]):
        result = await Agent(models, spec=Spec(name=named)).run("Will you?")
        assert result.turns[-1].model == fine


async def test_no_name_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="at least one model"):
        await Agent([]).run("hi")


async def test_a_model_that_could_never_be_asked_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where another one could answer: nobody would notice that it never does."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    fine = script(tmp_path, "fine.json", {"kind": "text_delta", "content": "I will."})
    with pytest.raises(AuthenticationError, match="ANTHROPIC_API_KEY"):
        await Agent([fine, "anthropic:claude-sonnet-4-5"]).run("hi")
    with pytest.raises(ModelNotFoundError, match="nonsense"):
        await Agent([fine, "nonsense:x"]).run("hi")
