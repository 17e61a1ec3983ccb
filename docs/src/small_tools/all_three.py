import asyncio

from ore import Agent, Answer, Question
from ore.ext.tools.ask_user import ask_user
from ore.ext.tools.calculator import calculator
from ore.ext.tools.set_title import set_title

agent = Agent(tools=[ask_user, calculator, set_title], store="memory:")


def answer(question: Question) -> Answer:
    print("asked:", question.text, question.options)
    return Answer(key=question.key, answer="Friday")


async def main() -> None:
    async with agent.session("trip", on_question=answer) as session:
        print((await session.run("Plan my trip; tickets are 19.99 each, for three.")).text)
        print("title:", session.metadata.get("ore.title"))


asyncio.run(main())
