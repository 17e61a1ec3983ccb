import asyncio
from decimal import Decimal

from ore import Agent, Answer, Question, UsageLimits
from ore.errors import LimitError


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


def decide(question: Question) -> Answer:
    print(question.text)
    return Answer(key=question.key, answer="stop")


agent = Agent(tools=[weather], limits=UsageLimits(tokens=1_000, cost_usd=Decimal("0.50"), soft=0.8, ask=True))


async def main() -> None:
    try:
        await agent.run("Compare the weather of a hundred cities.", on_question=decide)
    except LimitError as error:
        print(error)


asyncio.run(main())
