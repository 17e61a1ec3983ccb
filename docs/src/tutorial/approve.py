import asyncio

from ore import Agent, Answer, Question, tool


@tool(approve=True)
def book(city: str, nights: int) -> str:
    """Book a hotel."""
    return f"booked {nights} nights in {city}"


def decide(question: Question) -> Answer:
    print("asked:", question.tool, question.arguments)
    if '"nights":2' in (question.arguments or "").replace(" ", ""):
        return Answer(key=question.key, decision="approve")
    return Answer(key=question.key, decision="deny", reason="two nights at most")


agent = Agent(tools=[book])


async def main() -> None:
    result = await agent.run("A week in Porto, please.", on_question=decide)
    for turn in result.turns:
        print(turn.role.value, *(artifact.for_human() for artifact in turn.artifacts if artifact.kind == "tool_result"))
    print(result.text)


asyncio.run(main())
