import asyncio
from datetime import date

from ore import Agent, Answer, Question
from ore.ext.tools.mcp import McpServers


def today() -> str:
    """Today's date."""
    return date.today().isoformat()


def decide(question: Question) -> Answer:
    print(f"may run: {question.tool} {question.arguments}")
    return Answer(key=question.key, decision="approve")


async def main() -> None:
    agent = Agent(tools=[today, McpServers.read("mcp.json")])
    async with agent.session("notes", on_question=decide) as session:  # opens the servers, and closes them
        print((await session.run("Remember the milk.")).text)


asyncio.run(main())
