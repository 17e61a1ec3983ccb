"""The programs of the pages on commands, skills, agents inside calls and small tools."""

import shutil
from pathlib import Path

import pytest

from cli.command import call, delta, script
from docs.pages import copied, run
from ore.ext.replay import unpack
from tools.bash.test_sandboxes import needs_bubblewrap

pytestmark = pytest.mark.slow


def test_a_command_is_asked_for_and_runs(tmp_path: Path) -> None:
    folder = copied("commands", tmp_path)
    (folder / "notes.txt").write_text("a\nb\n")
    model = script(folder, [call("bash", command="wc -l < notes.txt")], [delta("Two.")])
    printed = run(folder, "on_this_machine.py", ORE_MODEL=model)
    assert printed == 'may run: {"command": "wc -l < notes.txt"}\nTwo.\n'


@needs_bubblewrap
def test_a_command_behind_a_border_changes_its_folder(tmp_path: Path) -> None:
    folder = copied("commands", tmp_path)
    model = script(folder, [call("bash", command="seq 3 > numbers.txt; ls; ls ..")], [delta("Done.")])
    assert run(folder, "confined.py", ORE_MODEL=model).startswith("stdout:\nnumbers.txt\nwork\n")
    assert (folder / "work" / "numbers.txt").read_text() == "1\n2\n3\n"


def test_skills_are_in_the_prompt_and_read(tmp_path: Path) -> None:
    folder = copied("skills", tmp_path)
    model = script(folder, [call("read_skill", name="release-notes")], [delta("Prepared.")])
    printed = run(folder, "use_skills.py", ORE_MODEL=model)
    assert "- release-notes: Writes the notes of a release." in printed and printed.endswith("Prepared.\n")


def test_an_agent_works_inside_a_call(tmp_path: Path) -> None:
    """Both play the same script, each from its beginning: the count is the session's."""
    folder = copied("subagents", tmp_path)
    model = script(folder, [call("researcher", prompt="find the moon"), delta("x")], [delta("Far.")])
    inner = script(folder, [call("find", words="the moon")], [delta("384,400 km.")], name="inner.json")
    program = (folder / "research.py").read_text().replace("tools=[find],", f"{inner!r},\n    tools=[find],", 1)
    (folder / "research.py").write_text(program)
    printed = run(folder, "research.py", ORE_MODEL=model).splitlines()
    assert printed == [
        ' tool_call {"prompt": "find the moon"}',
        '   tool_call {"words": "the moon"}',
        "     tool_result three pages about the moon",
        "   tool_result 384,400 km.",
        "Far.",
    ]


def test_three_small_tools_in_one_conversation(tmp_path: Path) -> None:
    folder = copied("small_tools", tmp_path)
    calls = [
        call("ask_user", question="Which day?", options=["Friday", "Sunday"]),
        {**call("calculator", expression="19.99 * 3"), "index": 1, "id": "c2"},
        {**call("set_title", title="A trip on Friday"), "index": 2, "id": "c3"},
    ]
    model = script(folder, calls, [delta("59.97 for Friday.")])
    assert run(folder, "all_three.py", ORE_MODEL=model).splitlines() == [
        "asked: Which day? ('Friday', 'Sunday')",
        "59.97 for Friday.",
        "title: A trip on Friday",
    ]


# ── Models ───────────────────────────────────────────────────────────────────


def test_the_second_model_answers_for_the_first(tmp_path: Path) -> None:
    folder = copied("fallback", tmp_path)
    full = script(folder, [delta("He"), {"error": "overloaded"}], name="full.json")
    fine = script(folder, [delta("Hello!")], name="fine.json")
    assert run(folder, "two_models.py", full, fine).startswith("Hello! scripted:")


def test_a_stored_conversation_says_where_it_differs(tmp_path: Path) -> None:
    folder = copied("replay", tmp_path)
    model = script(folder, [call("weather", city="Lisbon")], [delta("Fine.")])
    (folder / "record.py").write_text(
        "import sys\nfrom ore import Agent\n\ndef weather(city: str) -> str:\n    return f'{city}: 21 °C'\n\n"
        "Agent(sys.argv[1], tools=[weather]).run_sync('Weather?', session='s', store='sqlite:ore.db')\n"
    )
    run(folder, "record.py", model)
    printed = run(folder, "replay_session.py", "ore.db", "s")
    assert "result 0: expected 'Lisbon: 21 °C', got 'Lisbon: 22 °C'" in printed


def test_a_cassette_is_played(tmp_path: Path) -> None:
    """The one of the page, recorded from a server on this machine."""
    folder = copied("replay", tmp_path)
    recorder = tmp_path / "record.py"
    recorder.write_text(RECORD)
    run(tmp_path, "record.py", str(folder / "cassettes" / "test_weather" / "test_the_weather"))
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    run(folder, "-m", "pytest", "-q", "-p", "no:llmock", "-p", "no:cacheprovider", "test_weather.py")


def test_a_bug_report_is_a_test(tmp_path: Path) -> None:
    folder = copied("replay", tmp_path)
    (tmp_path / "record.py").write_text(RECORD)
    run(tmp_path, "record.py", str(folder / "report"))
    assert len(unpack(folder / "report")) == 2
    run(folder, "-m", "pytest", "-q", "-p", "no:llmock", "-p", "no:cacheprovider", "test_bug.py")


RECORD = """
import asyncio, sys
from pathlib import Path
from ore import Agent, Spec
from ore.artifact import TextDelta
from ore.ext.mock import MockServer, script_of
from ore.ext.providers.openai import OpenAI
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.replay import Recording

async def main():
    async with MockServer(script_of([TextDelta(content="Sunny.")])) as server:
        transport = Recording(shared_transport(), Path(sys.argv[1]))
        model = OpenAI(api_key="any", base_url=server.url, transport=transport)
        await Agent(model, spec=Spec(name="gpt-5-mini")).run("Weather in Lisbon?")

asyncio.run(main())
"""
