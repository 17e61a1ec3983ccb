import sys
from pathlib import Path

from ore import Agent
from ore.ext.patterns import ExecVerifier, FunctionVerifier, verified
from ore.ledger import State

Path("add.py").write_text("def add(a, b):\n    return a - b\n")
Path("check.py").write_text("from add import add\nassert add(1, 2) == 3, 'add(1, 2) is not 3'\n")


def write_code(content: str) -> str:
    """Replace add.py."""
    Path("add.py").write_text(content)
    return "written"


def is_short(state: State) -> str | None:
    """What is wrong, or nothing."""
    return None if len(Path("add.py").read_text()) < 1_000 else "add.py is too long"


agent = Agent(
    tools=[write_code],
    pattern=verified(
        ExecVerifier("test", [sys.executable, "-B", "check.py"], timeout_s=60),
        FunctionVerifier("length", is_short),
        retries=2,
    ),
)
result = agent.run_sync("Mend add.py.")
print(result.text)
print(sum(turn.role == "user" for turn in result.turns) - 1, "time sent back")
