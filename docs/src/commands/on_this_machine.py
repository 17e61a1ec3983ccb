import asyncio

from ore import Agent, Answer, Question
from ore.ext.tools.bash import bash

agent = Agent(tools=[bash(approve=True)])


def decide(question: Question) -> Answer:
    print("may run:", question.arguments)
    return Answer(key=question.key, decision="approve")


async def main() -> None:
    result = await agent.run("How many lines does notes.txt have?", on_question=decide)
    print(result.text)


asyncio.run(main())
