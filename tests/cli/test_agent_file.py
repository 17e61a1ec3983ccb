"""`--agent module:attribute` names what it expected when it finds something else."""

from pathlib import Path

import pytest

from cli.conftest import Ore

BROKEN = """
import json

def read() -> object:
    return json.loads("{")

agent = read()
"""


@pytest.mark.requirement("D-cli-agent-errors")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("counter", "expected module:attribute as for import, such as counter:agent, got 'counter'"),
        (":agent", "expected module:attribute"),
        ("counter:", "expected module:attribute"),
        ("counter.py:agent", "expected module:attribute"),
        ("./counter:agent", "expected module:attribute"),
        ("nowhere:agent", "no module 'nowhere' in "),
        ("nowhere.inside:agent", "no module 'nowhere' in "),
        ("counter:agnt", "'counter' has no attribute 'agnt'; its agents are: agent, other"),
        ("counter:count", "expected counter:count to be an ore Agent, got function; its agents are: agent, other"),
        ("counter:agent.name", "expected counter:agent.name to be an ore Agent, got str"),
        ("json:loads", "expected json:loads to be an ore Agent, got function\n"),
    ],
)
def test_what_is_no_agent_is_wrong_use(run: Ore, folder: Path, name: str, expected: str) -> None:
    (folder / "counter.py").write_text(
        "from ore import Agent\ndef count(): ...\nagent = Agent('local')\nother = Agent('local')\n"
    )
    done = run("run", "--agent", name, "Hi")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("ore: agent: ")
    assert expected in done.err


@pytest.mark.requirement("D-cli-agent-errors")
def test_an_error_inside_the_module_keeps_the_lines_of_the_users_file(run: Ore, folder: Path) -> None:
    (folder / "broken_agent.py").write_text(BROKEN)
    done = run("run", "--agent", "broken_agent:agent", "Hi")
    assert done.status == 2
    assert [line.strip().removesuffix("^") for line in done.err.splitlines() if "^^" not in line] == [
        "ore: agent: module 'broken_agent' cannot be imported",
        "Traceback (most recent call last):",
        f'File "{folder / "broken_agent.py"}", line 7, in <module>',
        "agent = read()",
        f'File "{folder / "broken_agent.py"}", line 5, in read',
        'return json.loads("{")',
        "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ]


@pytest.mark.requirement("D-cli-agent-errors")
@pytest.mark.parametrize(
    ("module", "source", "last"),
    [
        ("unclosed_agent", "agent = (\n", "SyntaxError: '(' was never closed"),
        ("needy_agent", "import nowhere_at_all\n", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("ending_agent", "import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("twins_agent", "from ore import Agent\nagent = Agent('local', tools=[len, 3])\n", "TypeError: "),
    ],
)
def test_a_module_that_cannot_be_imported_says_where(
    run: Ore, folder: Path, module: str, source: str, last: str
) -> None:
    (folder / f"{module}.py").write_text(source)
    done = run("run", "--agent", f"{module}:agent", "Hi")
    assert done.status == 2
    assert f'File "{folder / module}.py", line ' in done.err
    assert done.err.splitlines()[-1].startswith(last)


def test_an_agent_may_stand_inside_a_package(run: Ore, folder: Path) -> None:
    (folder / "flock").mkdir()
    (folder / "flock" / "agents.py").write_text(
        "from ore import Agent\nfrom ore.testing.scripted import ScriptedProvider\nfrom ore.artifact import TextDelta\n"
        "class Birds:\n    crow = Agent(ScriptedProvider([TextDelta(content='caw')]))\n"
    )
    assert run("run", "--agent", "flock.agents:Birds.crow", "Hi").out == "caw\n"
