"""An agent that works with the files of one folder, and asks before it changes one.

    python filesystem.py FOLDER "Which of my notes mention milk?"

It sees nothing outside of the folder. At a terminal each change is shown and
asked for; elsewhere changes are denied.
"""

import asyncio
import sys
from pathlib import Path

from ore import Agent, Answer, Question
from ore.ext.tools.files import files
from ore.ext.tools.sandboxes import FolderSandbox


async def decide(question: Question) -> Answer:
    """Ask whoever sits at the terminal, without holding anything else up."""
    if not sys.stdin.isatty():
        return Answer(key=question.key, reason="nobody could be asked")
    line = await asyncio.to_thread(input, f"{question.tool} {question.arguments}? [y/N] ")
    return Answer(key=question.key, decision="approve" if line.lower() in ("y", "yes") else "deny")


async def main(folder: Path, request: str) -> None:
    agent = Agent(
        name="librarian",
        instructions="Look before you answer. Paths are relative to the folder.",
        tools=files(FolderSandbox(folder), approve=True),
    )
    async with agent.session(store="memory:", on_question=decide) as session:
        async for piece in session.stream(request).text():
            print(piece, end="", flush=True)
    print()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python filesystem.py FOLDER REQUEST")
    asyncio.run(main(Path(sys.argv[1]), " ".join(sys.argv[2:])))
