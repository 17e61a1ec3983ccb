import asyncio
from dataclasses import replace

from ore import Agent, AgentSpec, Answer, Question, Tool
from ore.calls import CallLimits
from ore.ledger import State
from ore.tool import StaticTools, approve, combine, filter, prefix, rename


class Customer:
    def __init__(self, name: str) -> None:
        self.name = name

    def for_model(self) -> str:
        return f"This is {self.name}."

    def status(self) -> dict[str, str]:
        return {"shop.customer": self.name}


def log_in(name: str) -> Customer:
    """Say who is asking."""
    return Customer(name)


def order(article: str) -> str:
    """Order an article."""
    return f"ordered: {article}"


def find_page(words: str) -> str:
    """Find a page of the handbook."""
    return f"page 3 is about {words}"


def is_there(state: State, tool: Tool) -> bool:
    return tool.name != "order" or bool(state.meta.get("shop.customer"))


shop = filter(combine(StaticTools(log_in), approve(StaticTools(order))), is_there)
handbook = rename(StaticTools(find_page), {"find_page": "handbook"})


def gently(spec: AgentSpec) -> AgentSpec:
    return replace(spec, call_limits=CallLimits(parallel=2, timeout_s=20))


agent = Agent(tools=[prefix(shop, "shop"), handbook], extensions=[gently])


def decide(question: Question) -> Answer:
    print("may run:", question.tool, question.arguments)
    return Answer(key=question.key, decision="approve")


async def main() -> None:
    result = await agent.run("I am Ada, and want the blue one.", on_question=decide)
    for turn in result.turns:
        if turn.role == "tool":
            print([artifact.for_model() for artifact in turn.artifacts])
    print(result.text)


asyncio.run(main())
