"""`ore run`: one message, what is printed of it, and what is stored."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.command import CALL, call, delta, ore, said, script
from cli.conftest import Ore
from ore import Agent
from ore.artifact import CODEC
from ore.provider import tools_of
from ore.testing.scripted import ScriptedProvider

USAGE = {"kind": "usage", "prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
ANSWER = ([delta("Let me "), delta("see."), CALL], [delta("42."), USAGE])


@pytest.mark.requirement("D-cli-run")
def test_the_text_of_the_answers_goes_to_standard_output_and_the_id_to_standard_error(run: Ore, folder: Path) -> None:
    done = run("run", "--model", script(folder, *ANSWER), "--tool", "calculator", "6*7?")
    assert (done.status, done.out) == (0, "Let me see.\n42.\n")
    name, session = done.err.split()
    assert (name, len(session)) == ("session:", 32)
    assert "user:\n6*7?\n" in run("sessions", "show", session).out


@pytest.mark.requirement("D-cli-json")
def test_json_is_one_object_at_the_end(run: Ore, folder: Path) -> None:
    model = script(folder, *ANSWER)
    done = run("run", "--model", model, "--tool", "calculator", "--session", "a", "--json", "6*7?")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    usage = CODEC.decode(json.dumps(found.pop("usage")).encode())
    assert usage == CODEC.decode(json.dumps(USAGE).encode())
    assert found == {"session": "a", "text": "42.", "stop_reason": "stop", "outcome": "done", "error": None}


@pytest.mark.requirement("D-cli-json")
def test_the_text_in_json_is_the_last_assistant_turns_and_usage_is_that_of_all(run: Ore, folder: Path) -> None:
    model = script(folder, [delta("one"), CALL, USAGE], [delta("two"), CALL, USAGE], [USAGE])
    found = json.loads(run("run", "--model", model, "--tool", "calculator", "--json", "Hi").out)
    assert (found["text"], found["usage"]["total_tokens"]) == ("", 36)


@pytest.mark.requirement("D-cli-events")
def test_events_are_one_json_line_each_with_fragments_up_to_done(run: Ore, folder: Path) -> None:
    done = run("run", "--model", script(folder, [delta("a"), delta("b")]), "--session", "a", "--events", "Hi")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert (done.status, done.err) == (0, "")
    assert [event.get("phase", event["kind"]) for event in events] == [
        "turn_complete",
        "submitted",
        "streaming",
        "text_delta",
        "text_delta",
        "text",
        "stop_reason",
        "turn_complete",
        "done",
    ]
    assert {event["context"]["thread_id"] for event in events} == {"a"}
    assert len({event["context"]["message"] for event in events}) == 1
    assert len({event["context"]["id"] for event in events}) == len(events)


def test_events_and_json_go_together(run: Ore, folder: Path) -> None:
    lines = run("run", "--model", script(folder, [delta("a")]), "--events", "--json", "Hi").out.splitlines()
    assert json.loads(lines[-2])["phase"] == "done"
    assert json.loads(lines[-1])["text"] == "a"


@pytest.mark.requirement("D-cli-prompt")
@pytest.mark.parametrize(
    ("words", "given", "prompt"),
    [([], "Hi\n", "Hi"), (["-"], "a\n\nb\n\n", "a\n\nb\n"), ([], "é €", "é €"), (["-"], "a\r\n", "a")],
)
def test_the_prompt_comes_from_standard_input_without_its_last_line_end(
    folder: Path, words: list[str], given: str, prompt: str
) -> None:
    model = script(folder, [delta("Yes")])
    done = ore("run", "--model", model, "--store", "memory:", "--events", *words, folder=folder, stdin=given)
    assert said([json.loads(done.out.splitlines()[0])["turn"]]) == [("user", "complete", prompt)]


def test_a_prompt_may_look_like_an_option(run: Ore, folder: Path) -> None:
    assert run("run", "--model", script(folder, [delta("Yes")]), "--", "--json").out == "Yes\n"


@pytest.mark.requirement("D-cli-sessions")
def test_a_session_is_begun_under_its_id_and_resumed_by_another_process(run: Ore, folder: Path) -> None:
    for prompt, answer in (("One?", "1"), ("Two?", "2")):
        done = ore("run", "--model", script(folder, [delta(answer)]), "--session", "a", prompt, folder=folder)
        assert (done.status, done.out, done.err) == (0, f"{answer}\n", "")
    assert said(json.loads(run("sessions", "show", "a", "--json").out)["turns"]) == [
        ("user", "complete", "One?"),
        ("assistant", "complete", "1"),
        ("user", "complete", "Two?"),
        ("assistant", "complete", "2"),
    ]


@pytest.mark.requirement("D-cli-sessions")
def test_the_memory_store_keeps_nothing(run: Ore, folder: Path) -> None:
    done = run("run", "--model", script(folder, [delta("a")]), "--store", "memory:", "--session", "a", "Hi")
    assert (done.status, done.out) == (0, "a\n")
    assert json.loads(run("sessions", "list", "--json").out) == {"sessions": []}


@pytest.mark.requirement("D-cli-status")
def test_a_run_that_fails_is_status_1_and_says_why_once(run: Ore, folder: Path) -> None:
    error = {"error": "rate_limit", "message": "slow down", "retry_after_s": 1}
    done = run("run", "--model", script(folder, [delta("par"), error]), "--session", "a", "Hi")
    assert (done.status, done.out) == (1, "par\n")
    assert done.err == "ore: the run failed (rate_limit): slow down\n"
    assert said(json.loads(run("sessions", "show", "a", "--json").out)["turns"])[-1] == ("assistant", "failed", "par")


@pytest.mark.requirement("D-cli-json")
def test_a_run_that_fails_has_its_error_in_json(run: Ore, folder: Path) -> None:
    error = {"error": "rate_limit", "message": "slow down", "retry_after_s": 1}
    done = run("run", "--model", script(folder, [delta("par"), error]), "--json", "Hi")
    found = json.loads(done.out)
    assert (done.status, found["text"], found["outcome"]) == (1, "par", "failed")
    assert found["error"] == {
        "code": "rate_limit",
        "message": "slow down",
        "retryable": True,
        "retry_after_s": 1.0,
        "provider": "scripted",
    }


@pytest.mark.requirement("D-cli-limits")
def test_reaching_the_rounds_fails_with_code_limit(run: Ore, folder: Path) -> None:
    model = script(folder, *([call("calculator", expression=f"{n}")] for n in range(9)))
    done = run("run", "--model", model, "--tool", "calculator", "--max-rounds", "2", "--json", "Hi")
    assert (done.status, json.loads(done.out)["error"]["code"]) == (1, "limit")


AGENT = """
from ore import Agent, Spec, UsageLimits
from ore.testing.scripted import ScriptedProvider
from ore.artifact import TextDelta

def look() -> str:
    return "nothing"

provider = ScriptedProvider([TextDelta(content="ok")], repeat=True)
agent = Agent(provider, tools=[look], instructions="Old.", spec=Spec(name="old", temperature=1.0, max_output_tokens=9))
"""


def asked(module: str, folder: Path, run: Ore, *words: str) -> Any:
    """What the provider of an agent file was asked."""
    (folder / f"{module}.py").write_text(AGENT)
    assert run("run", "--agent", f"{module}:agent", *words, "Hi").out == "ok\n"
    provider: ScriptedProvider = sys.modules[module].provider
    return provider.invocations[0]


@pytest.mark.requirement("D-cli-agent")
def test_an_agent_comes_from_the_current_folder_and_answers_as_it_says(run: Ore, folder: Path) -> None:
    found = asked("plain_agent", folder, run)
    assert (found.spec.name, found.spec.temperature, found.spec.max_output_tokens) == ("old", 1.0, 9)
    assert said([{"role": turn.role.value, "status": "", "artifacts": _texts(turn)} for turn in found.turns]) == [
        ("system", "", "Old."),
        ("user", "", "Hi"),
    ]
    assert [tool.name for tool in tools_of(found.options)] == ["look"]


@pytest.mark.requirement("D-cli-agent")
def test_flags_beat_the_agent_and_add_to_its_tools(run: Ore, folder: Path) -> None:
    found = asked(
        "flagged_agent",
        folder,
        run,
        *("--temperature", "0", "--max-output-tokens", "5", "--thinking", "low"),
        *("--tool", "calculator", "--tool", "calculator", "--instructions", "New."),
    )
    spec = found.spec
    assert (spec.temperature, spec.max_output_tokens, spec.thinking_level) == (0.0, 5, "low")
    assert _texts(found.turns[0]) == [{"kind": "text", "content": "New."}]
    assert [tool.name for tool in tools_of(found.options)] == ["look", "calculator"]


@pytest.mark.requirement("D-cli-agent")
def test_a_model_named_on_the_command_line_is_asked_instead_of_the_agents(run: Ore, folder: Path) -> None:
    (folder / "other_agent.py").write_text(AGENT)
    done = run("run", "--agent", "other_agent:agent", "--model", script(folder, [delta("new")]), "Hi")
    assert (done.status, done.out) == (0, "new\n")
    assert sys.modules["other_agent"].provider.invocations == []


@pytest.mark.requirement("D-cli-agent")
def test_the_agent_may_be_named_by_the_environment(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "named_agent.py").write_text(AGENT)
    monkeypatch.setenv("ORE_AGENT", "named_agent:agent")
    assert run("run", "Hi").out == "ok\n"


async def keep(session: str, **facts: str) -> None:
    """A stored session that says how its model answers."""
    async with Agent(ScriptedProvider()).session(session) as made:
        for name, value in facts.items():
            await made.metadata.set(f"ore.model.{name}", value)


@pytest.mark.requirement("D-cli-call-flags")
def test_flags_beat_what_the_session_has_stored_and_are_not_stored(run: Ore, folder: Path) -> None:
    stored = script(folder, [delta("stored")], name="stored.json")
    asyncio.run(keep("a", name=stored, temperature="0.5"))
    named = script(folder, [delta("named")], name="named.json")
    fallback = script(folder, [delta("fallback")], name="fallback.json")

    assert run("run", "--session", "a", "--model", named, "--temperature", "0", "Hi").out == "named\n"
    (folder / "fallback_agent.py").write_text(f"from ore import Agent\nagent = Agent({fallback!r})")
    assert run("run", "--session", "a", "--agent", "fallback_agent:agent", "Hi").out == "stored\n"
    assert json.loads(run("sessions", "show", "a", "--json").out)["metadata"] == {
        "ore.model.name": stored,
        "ore.model.temperature": "0.5",
    }


@pytest.mark.requirement("D-cli-default-model")
def test_without_a_model_the_embedded_one_is_taken_and_standard_error_says_why(run: Ore) -> None:
    done = run("run", "--session", "../elsewhere", "Hi")
    assert done.status == 2
    assert done.err.splitlines()[0] == "ore: model local: no model was named and no key is set"


@pytest.mark.requirement("D-cli-default-model")
def test_the_environment_names_the_model_and_flags_beat_it(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORE_MODEL", script(folder, [delta("environment")], name="environment.json"))
    assert run("run", "--session", "a", "Hi").out == "environment\n"
    assert run("run", "--model", script(folder, [delta("flag")]), "--session", "b", "Hi").out == "flag\n"


def test_notices_go_to_standard_error(run: Ore, folder: Path) -> None:
    model = script(folder, [{"kind": "notice", "content": "mind the gap"}, delta("ok")])
    for more in ([], ["--json"]):
        assert "ore: mind the gap\n" in run("run", "--model", model, *more, "Hi").err


def test_text_that_comes_whole_is_printed_once(run: Ore, folder: Path) -> None:
    items = [
        {"kind": "text", "content": "whole"},
        {"kind": "reasoning", "content": "hm"},
        delta(", then "),
        delta("more"),
    ]
    assert run("run", "--model", script(folder, items), "Hi").out == "whole, then more\n"


def test_an_answer_without_text_prints_nothing(run: Ore, folder: Path) -> None:
    assert run("run", "--model", script(folder, [{"kind": "reasoning", "content": "hm"}]), "Hi").out == ""


def _texts(turn: Any) -> list[dict[str, str]]:
    return [{"kind": "text", "content": artifact.content} for artifact in turn.artifacts]
