"""The programs of the tutorial, of the guides, of what happens when …, and of the migrations."""

import inspect
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import call, delta, script
from docs.pages import DOCS, copied, run
from ore.cli.main import COMMANDS
from ore.ledger import Store

pytestmark = pytest.mark.slow


def second(item: dict[str, object]) -> dict[str, object]:
    """The same call as the second of its turn."""
    return {**item, "index": 1, "id": "c2"}


def test_the_first_agent(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path)
    usage = {"kind": "usage", "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    model = script(folder, [call("weather", city="Lisbon")], [delta("Clear, 21 °C."), usage])
    assert run(folder, "first.py", ORE_MODEL=model) == "Clear, 21 °C.\n7 tokens, 4 turns\n"


def test_a_conversation_goes_on_in_the_next_process(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path)
    store = {"ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}"}
    for number, said in enumerate(("Porto then.", "By train."), 1):
        model = script(folder, [delta(said)])
        assert run(folder, "trip.py", "On?", ORE_MODEL=model, **store) == f"{said}\n{2 * number} turns so far\n"


def test_an_answer_is_stopped_and_what_was_said_is_kept(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path)
    model = script(folder, [delta("Dear diary"), {"hang": True}])
    assert run(folder, "stop.py", ORE_MODEL=model).splitlines() == [
        "heard: Dear diary",
        "cancelled",
        "interrupted turn: Dear diary",
    ]


def test_a_tool_asks_first(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path)
    model = script(
        folder, [call("book", city="Porto", nights=7)], [call("book", city="Porto", nights=2)], [delta("Two nights.")]
    )
    printed = run(folder, "approve.py", ORE_MODEL=model).splitlines()
    assert [line.split(" ", 2)[1] for line in printed if line.startswith("asked")] == ["book", "book"]
    assert "tool booked 2 nights in Porto" in printed
    assert any("two nights at most" in line for line in printed)
    assert printed[-1] == "Two nights."


def test_an_answer_has_a_type(tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path)
    model = script(folder, [delta('{"city": "Lisbon"}')], [delta('{"city": "Lisbon", "country": "Portugal"}')])
    assert run(folder, "typed.py", ORE_MODEL=model) == "Place(city='Lisbon', country='Portugal')\n"


def test_a_kind_and_a_provider_of_ones_own(tmp_path: Path) -> None:
    printed = run(copied("extending", tmp_path), "own_kind.py").splitlines()
    assert [line.split()[0] for line in printed[:3]] == ["route_delta"] * 3
    assert printed[3:] == ["route Lisbon → Coimbra → Porto", "Route(stops=('Lisbon', 'Coimbra', 'Porto'))"]


def test_a_conduit_of_ones_own_shows_what_others_say(tmp_path: Path) -> None:
    folder = copied("extending", tmp_path)
    model = script(folder, [delta("Yes.")], repeat=True)
    printed = run(folder, "own_conduit.py", ORE_MODEL=model).splitlines()
    assert printed == [
        "phone | user: Is anybody there?",
        "phone | assistant: Yes.",
        "door | user: Hello?",
        "door | assistant: Yes.",
    ]


def test_agents_are_tested_without_a_model(tmp_path: Path) -> None:
    folder = copied("testing_agents", tmp_path)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "test_desk.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200)
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_after_a_crash_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    folder = copied("happens", tmp_path)
    store = {"ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}"}
    calls = [call("pay", name="Ann")], [call("die", reason="x")]
    dead = subprocess.run(
        [sys.executable, "crash.py", "begin"],
        cwd=folder,
        env={**os.environ, **store, "ORE_MODEL": script(folder, *calls)},
        timeout=200,
    )
    assert dead.returncode == -signal.SIGKILL
    model = script(folder, [call("look", name="Ann")], [delta("Ann is paid.")], name="after.json")
    printed = run(folder, "crash.py", "go on", ORE_MODEL=model, **store).splitlines()
    assert printed[0] == "tool: Ann is paid"
    assert "unknown" in printed[1].lower() or "outcome" in printed[1].lower()
    assert printed[2:] == ["tool: Ann was looked at", "assistant: Ann is paid.", "payments: ['Ann']"]


def test_who_leaves_stops_nothing_and_who_cancels_one_message_only_that(tmp_path: Path) -> None:
    folder = copied("happens", tmp_path)
    model = script(folder, [delta("Well"), {"hang": True}], [delta("Done.")])
    assert run(folder, "cancel.py", ORE_MODEL=model).splitlines() == [
        "reading: Well",
        "still running: True",
        "still running: True",
        "stopped: True",
        "cancelled | Done.",
    ]


def test_too_much_is_refused_at_once_and_an_overload_fails_one_message(tmp_path: Path) -> None:
    folder = copied("happens", tmp_path)
    model = script(folder, [{"error": "overloaded", "message": "later"}], [delta("Here.")])
    first, *rest = run(folder, "overload.py", ORE_MODEL=model).splitlines()
    assert first.startswith("limit | ")
    assert rest == ["failed | overloaded", "done | Here."]


def test_a_restart_keeps_questions_and_what_waits(tmp_path: Path) -> None:
    folder = copied("happens", tmp_path)
    more = {"ORE_STORE": f"sqlite:{tmp_path / 'ore.db'}"}
    assert run(folder, "restart.py", "begin", ORE_MODEL=script(folder, [call("send", to="Ann")]), **more) == (
        "open: ['send'] waiting: 1\n"
    )
    model = script(folder, [delta("Sent.")], [delta("You are welcome.")], name="after.json")
    printed = run(folder, "restart.py", "finish", ORE_MODEL=model, **more).splitlines()
    assert printed[0] == "open: ['send'] waiting: 1"
    assert "'Sent.', 'You are welcome.'" in printed[1]


def test_from_pydantic_ai(tmp_path: Path) -> None:
    folder = copied("migrating", tmp_path)
    model = script(
        folder,
        [call("balance", customer="anna")],  # nobody's name: the model hears so
        [call("balance", customer="ann")],
        [delta('{"text": "Yes."}')],  # no risk: sent back
        [delta('{"text": "Yes.", "risk": 1}')],
    )
    first, second = run(folder, "from_pydantic_ai.py", ORE_MODEL=model).splitlines()
    assert first == "text='Yes.' risk=1"
    assert second.startswith("1 | ")


def test_from_openai_agents(tmp_path: Path) -> None:
    """A script is counted by session: each agent makes the calls that it has a tool for."""
    folder = copied("migrating", tmp_path)
    model = script(folder, [call("billing", prompt="Order 12"), second(call("refund", order="12"))], [delta("Done.")])
    printed = run(folder, "from_openai_agents.py", ORE_MODEL=model).splitlines()
    assert 'asked: refund {"order": "12"}' in printed
    assert "  tool_result 12 refunded" in printed
    assert printed[-2:] == ["text Done.", "done"]


def test_from_langgraph(tmp_path: Path) -> None:
    folder = copied("migrating", tmp_path)
    model = script(folder, [call("add", a=2, b=3)], [delta("5.")], [delta("10.")], [delta("15.")])
    assert run(folder, "from_langgraph.py", ORE_MODEL=model).splitlines() == [
        "5.",
        "10.",
        "5.",
        "15.",
        "6 turns on this path, 8 in all",
    ]


def test_a_session_moves_from_one_store_to_another(tmp_path: Path) -> None:
    folder = copied("stores", tmp_path)
    printed = run(folder, "move.py", ORE_MODEL=script(folder, [delta("Gladly.")])).splitlines()
    assert printed[:3] == [
        "trip 2 A weekend in Porto, please.",
        "trip-2 2 A weekend in Porto, please.",
        "['trip-2']",
    ]
    assert printed[3].startswith("0o600 ")
    assert "'.json'" in printed[3]


def test_the_page_of_the_command_has_every_command() -> None:
    text = (DOCS / "command.md").read_text()
    assert [name for name in COMMANDS if f"| `ore {name}" not in text] == []


def test_what_is_known_of_a_model_and_what_it_costs(tmp_path: Path) -> None:
    found, searched, price = run(copied("known", tmp_path), "prices.py").splitlines()
    assert found.startswith("('anthropic', 'claude-sonnet-4-5', ")
    assert searched == "True None"
    assert float(price) > 0


def test_the_page_on_own_stores_names_each_method_of_a_store() -> None:
    page = (DOCS / "extending.md").read_text("utf-8")
    section = page.partition("## A tool, a command, a store")[2].partition("\n## ")[0]
    methods = {name for name, value in vars(Store).items() if inspect.isfunction(value) and not name.startswith("_")}
    named = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\| (`.+?) \|", section, re.M)))) | {"aclose"}
    assert (named, "`aclose`" in section, "seventeen" in section) == (methods, True, len(methods) == 17)
