"""An agent whose answer counts only once the tests pass.

    python verifier.py "Write slug.py with a function slug(title)."

It writes into a folder of its own. After each answer Python compiles the file
and runs the tests; what they say goes back to the model, three times at most.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from ore import Agent
from ore.ext.patterns import ExecVerifier, verified

TESTS = """\
from slug import slug

assert slug("Hello, World!") == "hello-world", f"slug('Hello, World!') is {slug('Hello, World!')!r}"
assert slug("  a  b ") == "a-b", f"slug('  a  b ') is {slug('  a  b ')!r}"
"""


async def main(request: str, folder: Path) -> None:
    (folder / "tests.py").write_text(TESTS)

    def write_slug(content: str) -> str:
        """Replace slug.py."""
        (folder / "slug.py").write_text(content)
        return "written"

    agent = Agent(
        name="programmer",
        tools=[write_slug],
        pattern=verified(
            ExecVerifier("compile", [sys.executable, "-m", "py_compile", "slug.py"], directory=folder, timeout_s=60),
            ExecVerifier("tests", [sys.executable, "-B", "tests.py"], directory=folder, timeout_s=60),
            retries=3,
        ),
    )
    result = await agent.run(request)
    print(result.text)
    print("sent back:", sum(turn.role == "user" for turn in result.turns) - 1, file=sys.stderr)
    print((folder / "slug.py").read_text())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        asyncio.run(main(" ".join(sys.argv[1:]) or "Write slug.py with a function slug(title).", Path(made)))
