import asyncio
from pathlib import Path

from ore import Agent, Answer, Question
from ore.ext.tools.files import files
from ore.ext.tools.sandboxes import FolderSandbox

agent = Agent(tools=files(FolderSandbox(Path("notes")), approve=True))


def decide(question: Question) -> Answer:
    print("may change:", question.tool, question.arguments)
    return Answer(key=question.key, decision="approve")


async def main() -> None:
    result = await agent.run("Buy oats instead of milk.", on_question=decide)
    for artifact in result.turns[2].artifacts:
        print(artifact.for_human())
    print(result.text)


asyncio.run(main())
