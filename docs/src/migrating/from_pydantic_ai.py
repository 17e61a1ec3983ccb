import asyncio
from dataclasses import dataclass

from pydantic import BaseModel

from ore import Agent, Spec, ToolContext, ToolError, UsageLimits


@dataclass
class Bank:
    balances: dict[str, int]


class Advice(BaseModel):
    text: str
    risk: int


def balance(context: ToolContext, customer: str) -> int:
    """The customer's balance."""
    bank: Bank = context.deps
    if customer not in bank.balances:
        raise ToolError(
            f"no customer {customer!r}; known: {', '.join(bank.balances)}"
        )  # the model reads it, and tries again
    return bank.balances[customer]


agent = Agent(
    tools=[balance],
    deps=Bank({"ann": 120}),
    output_type=Advice,
    instructions=lambda: "You advise customers of a bank.",
    spec=Spec(temperature=0.0),
    limits=UsageLimits(rounds=5),
)


async def main() -> None:
    first = await agent.run("May Ann spend 100?")
    print(first.output)
    second = await agent.run("And 200?", history=first.turns)
    print(second.output.risk, "|", len(first.turns), "turns came along")


asyncio.run(main())
